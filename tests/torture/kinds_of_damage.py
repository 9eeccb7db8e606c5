"""The kinds of damage: what may befall a file of a recording, what lies beside it, and who may read it."""
import os
import shutil
import sqlite3
import stat


PAGE = 1024
ENDS = {"well": 0, "sick": 1, "not_judged": 4}  # How `diagnose --check` ends, by its verdict.
NOT_JUDGED = ENDS["not_judged"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Skip(Exception):
    """Why a trial cannot be made on this machine."""


def need_root():
    if os.getuid() != 0:
        raise Skip("needs root")


# What befalls one file: (trial, path).

def emptied(trial, path):
    path.write_bytes(b"")


def one_byte(trial, path):
    path.write_bytes(trial.rng.randbytes(1))


def cut_at_page(trial, path):
    os.truncate(path, trial.rng.randrange(1, max(2, path.stat().st_size // PAGE)) * PAGE)


def cut_anywhere(trial, path):
    os.truncate(path, trial.rng.randrange(1, path.stat().st_size))


def flip(trial, path, bits):
    content = bytearray(path.read_bytes())
    for _ in range(bits):
        content[trial.rng.randrange(len(content))] ^= 1 << trial.rng.randrange(8)
    path.write_bytes(content)


def one_bit(trial, path):
    flip(trial, path, 1)


def ten_bits(trial, path):
    flip(trial, path, 10)


def overwrite(path, at, content):
    with path.open("r+b") as out:
        out.seek(at)
        out.write(content)


def some_page(trial, path):
    return trial.rng.randrange(max(1, path.stat().st_size // PAGE)) * PAGE


def zeroed_page(trial, path):
    overwrite(path, some_page(trial, path), bytes(PAGE))


def random_page(trial, path):
    overwrite(path, some_page(trial, path), trial.rng.randbytes(PAGE))


def swapped_pages(trial, path):
    a, b = some_page(trial, path), some_page(trial, path)
    content = path.read_bytes()
    overwrite(path, a, content[b:b + PAGE])
    overwrite(path, b, content[a:a + PAGE])


def page_of_another(trial, path):
    others = [other for other in path.parent.glob("*.lgd") if other != path] or [path]
    at = some_page(trial, path)
    content = trial.rng.choice(others).read_bytes()[at:at + PAGE]
    overwrite(path, at, content)


def inserted_bytes(trial, path):
    content = path.read_bytes()
    at = trial.rng.randrange(len(content))
    path.write_bytes(content[:at] + trial.rng.randbytes(trial.rng.choice((1, 512, PAGE))) + content[at:])


def appended_bytes(trial, path):
    with path.open("ab") as out:
        out.write(trial.rng.randbytes(trial.rng.choice((1, 100, PAGE, 5 * PAGE))))


def zero_tail(trial, path):
    size = path.stat().st_size
    cut_anywhere(trial, path)
    os.truncate(path, size)


def foreign_first_page(trial, path):
    other = trial.folder / "foreign.sqlite"
    with sqlite3.connect(other) as base:
        base.execute(f"pragma page_size={trial.rng.choice((512, PAGE, 4096))}")
        base.execute("create table t(a)")
        base.execute("insert into t values (1)")
    base.close()
    overwrite(path, 0, other.read_bytes()[:PAGE])


def header_overwritten(trial, path):
    overwrite(path, 0, trial.rng.randbytes(trial.rng.choice((16, 100))))


def text_instead(trial, path):
    path.write_text("time,host,kind,device,counter,value\n1795202494,fs1,disk,sda,rd_ios,5\n")


def edited(trial, path, *statements):
    """By SQLite itself, so that its own structures stay sound."""
    with sqlite3.connect(path) as base:
        for statement in statements:
            base.execute(statement)
    base.close()


def rows_deleted(trial, path):
    table, key = trial.rng.choice((("block", "id"), ("chunk", "id"), ("fact", "rowid"), ("meta", "rowid")))
    which = f"(select count(*) from {table})"  # Not of SQLite's random numbers, which no seed fixes.
    edited(trial, path, f"delete from {table} where {key} in (select {key} from {table} order by {key} limit 1 "
                        f"offset {trial.rng.randrange(1 << 30)} % max(1, {which}))")


def rows_emptied(trial, path):
    table, column = trial.rng.choice((("block", "header"), ("chunk", "data"), ("fact", "data"), ("block", "kind")))
    value = trial.rng.choice(("null", "''", "x'00'", "zeroblob(100000)", "'text'", "9e999"))
    edited(trial, path, f"update or ignore {table} set {column} = {value} where rowid = (select min(rowid) from {table})")


def hostile_numbers(trial, path):
    what = trial.rng.choice(("block set earliest = {}", "block set latest = {}", "block set samples = {}", "block set id = {}",
                             "chunk set id = {}", "meta set value = {} where key <> 'host'"))
    number = trial.rng.choice((-1, 0, 2 ** 63 - 1, -2 ** 63, 10 ** 18))
    edited(trial, path, "update or ignore " + what.format(number))


def trigger_planted(trial, path):
    edited(trial, path, "create trigger evil after insert on gap begin delete from block; end",
           "create view v as select * from block")


def tables_dropped(trial, path):
    edited(trial, path, f"drop table {trial.rng.choice(('meta', 'block', 'chunk', 'fact', 'gap'))}")


def later_version(trial, path):
    edited(trial, path, f"pragma user_version={trial.rng.choice((0, 1, 3, 1000))}")


def other_application(trial, path):
    edited(trial, path, "pragma application_id=1")


def hot_journal_planted(trial, path):
    journal = path.with_name(path.name + "-journal")
    magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    body = trial.rng.choice((b"", magic, magic + b"\xff\xff\xff\xff" + trial.rng.randbytes(4000), trial.rng.randbytes(2000)))
    journal.write_bytes(body)


def journal_of_another_kind(trial, path):
    """Something else than a file where SQLite looks for the journal of a database."""
    journal = path.with_name(path.name + "-journal")
    make = trial.rng.choice((os.mkfifo, os.mkdir, lambda place: place.symlink_to(place.name), lambda place: place.symlink_to("/dev/zero")))
    if not os.path.lexists(journal):  # A file may be damaged twice.
        make(journal)


def replaced(path, make):
    path.unlink()
    make(path)


def a_folder(trial, path):
    replaced(path, os.mkdir)


def a_fifo(trial, path):
    replaced(path, os.mkfifo)


def a_loop(trial, path):
    replaced(path, lambda place: place.symlink_to(place.name))


def a_dangling_link(trial, path):
    replaced(path, lambda place: place.symlink_to("nowhere"))


def a_device(trial, path):
    replaced(path, lambda place: place.symlink_to(trial.rng.choice(("/dev/zero", "/dev/full", "/dev/null", "/dev/tty", "/proc/self/mem"))))


def a_socket_or_special(trial, path):
    need_root()
    replaced(path, lambda place: os.mknod(place, 0o666 | trial.rng.choice((stat.S_IFCHR, stat.S_IFSOCK)), os.makedev(1, 5)))


def sparse_and_huge(trial, path):
    os.truncate(path, 1 << trial.rng.choice((32, 40)))


def renamed_host(trial, path):
    path.rename(path.with_name(f"fs9{path.name}"))


def renamed_day(trial, path):
    path.rename(path.with_name(f"{path.name.split('-')[0]}-20010203T04050{path.name[-6]}Z.lgd"))


def renamed_to_nonsense(trial, path):
    path.replace(path.with_name(trial.rng.choice((".lgd", "%zz-20231114T221320Z.lgd", "fs1.lgd", "-20231114T221320Z.lgd", "a" * 240 + ".lgd"))))


def duplicated(trial, path):
    shutil.copyfile(path, path.with_name(path.stem + "-2.lgd"))


ONE_FILE = (emptied, one_byte, cut_at_page, cut_anywhere, one_bit, ten_bits, zeroed_page, random_page, swapped_pages, page_of_another,
            inserted_bytes, appended_bytes, zero_tail, foreign_first_page, header_overwritten, text_instead, rows_deleted, rows_emptied,
            hostile_numbers, trigger_planted, tables_dropped, later_version, other_application, hot_journal_planted,
            journal_of_another_kind, a_folder, a_fifo,
            a_loop, a_dangling_link, a_device, a_socket_or_special, sparse_and_huge, renamed_host, renamed_day, renamed_to_nonsense,
            duplicated)


# What befalls a file with its write-ahead log: (trial, path of the database).

def log_of(path):
    return path.with_name(path.name + "-wal")


def index_of(path):
    return path.with_name(path.name + "-shm")


def log_removed(trial, path):
    log_of(path).unlink()


def log_emptied(trial, path):
    log_of(path).write_bytes(b"")


def log_cut(trial, path):
    cut_anywhere(trial, log_of(path))


def log_one_bit(trial, path):
    one_bit(trial, log_of(path))


def log_ten_bits(trial, path):
    ten_bits(trial, log_of(path))


def log_random_page(trial, path):
    random_page(trial, log_of(path))


def log_of_another(trial, path):
    other = next(other for other in path.parent.glob("live*.lgd") if other != path)
    shutil.copyfile(log_of(other), log_of(path))


def log_is_a_fifo(trial, path):
    a_fifo(trial, log_of(path))


def log_is_a_folder(trial, path):
    a_folder(trial, log_of(path))


def log_sparse_and_huge(trial, path):
    os.truncate(log_of(path), 1 << trial.rng.choice((32, 40)))


def log_with_empty_file(trial, path):
    path.write_bytes(b"")


def log_without_file(trial, path):
    path.unlink()


def log_and_cut_file(trial, path):
    one_bit(trial, path)
    cut_anywhere(trial, log_of(path))


def index_removed(trial, path):
    index_of(path).unlink(missing_ok=True)


def index_garbage(trial, path):
    index_of(path).write_bytes(trial.rng.randbytes(trial.rng.choice((0, 1, 100, 32768))))


def index_one_bit(trial, path):
    if index_of(path).exists():
        one_bit(trial, index_of(path))


def index_is_a_fifo(trial, path):
    index_of(path).unlink(missing_ok=True)
    os.mkfifo(index_of(path))


def stale_log_beside_finished_file(trial, path):
    log = log_of(path).read_bytes()
    for old in (path, log_of(path), index_of(path)):
        old.unlink(missing_ok=True)
    shutil.copyfile(trial.pool.closed / "metrics" / path.name, path)
    log_of(path).write_bytes(log)


def old_file_under_new_log(trial, path):
    """What a backup brings back of the file alone."""
    shutil.copyfile(trial.pool.closed / "metrics" / path.name, path)


WITH_LOG = (log_removed, log_emptied, log_cut, log_one_bit, log_ten_bits, log_random_page, log_of_another, log_is_a_fifo,
            log_is_a_folder, log_sparse_and_huge, log_with_empty_file, log_without_file, log_and_cut_file, index_removed, index_garbage, index_one_bit,
            index_is_a_fifo, stale_log_beside_finished_file, old_file_under_new_log)


# What the folder or the reader may not do: (trial, recording) -> words before the command.

def file_of_someone_else(trial, recording):
    need_root()
    trial.rng.choice(sorted(recording.glob("metrics/*.lgd"))).chmod(0)
    return NOBODY


def index_of_someone_else(trial, recording):
    need_root()
    for path in recording.glob("metrics/*-shm"):
        path.chmod(0o400)
    return NOBODY


def log_of_someone_else(trial, recording):
    need_root()
    for path in recording.glob("metrics/*-wal"):
        path.chmod(0)
    return NOBODY


def folder_read_only(trial, recording):
    need_root()
    for path in recording.glob("metrics/*-shm"):
        path.unlink()
    return NOBODY


def metrics_folder_closed(trial, recording):
    need_root()
    (recording / "metrics").chmod(trial.rng.choice((0, 0o444, 0o111)))
    return NOBODY


def read_only_mount(trial, recording):
    need_root()
    if trial.rng.random() < 0.5:
        for path in recording.glob("metrics/*-shm"):
            path.unlink()
    if os.system(f"mount --bind '{recording}' '{recording}' && mount -o remount,ro,bind '{recording}'") != 0:
        raise Skip("cannot mount")
    return []


ACCESS = (file_of_someone_else, index_of_someone_else, log_of_someone_else, folder_read_only, metrics_folder_closed, read_only_mount)
