"""The catalogue of lies: a function each, which answers one request, or whoever connects, in its own wrong way."""
import json
import struct
import socket
import time
import zlib

from lying_connection import HOSTS, SERIES, Gone

table = {}


def behaviour(function=None, *, reads=True, keeps=False):
    """Registers one. reads: after a request has come, else as soon as somebody connects; keeps: again for every request."""
    if function is None:
        return lambda one: behaviour(one, reads=reads, keeps=keeps)
    table[function.__name__] = (function, reads, keeps)
    return function


# Status lines and headers.

@behaviour
def huge_status_line(c):
    c.answer(status=b"200 " + b"A" * c.random.randrange(9_000, 1_000_000))


@behaviour
def endless_status_line(c):
    c.send(b"HTTP/1.1 200 ")
    while True:
        c.send(b"A" * 65536)


@behaviour
def endless_headers(c):
    c.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        c.send(b"".join(b"X-%d: %s\r\n" % (c.random.randrange(10**9), b"a" * 100) for _ in range(500)))


@behaviour
def huge_header(c):
    c.answer(headers=[b"X-Long: " + b"a" * c.random.randrange(100_000, 3_000_000)])


@behaviour
def many_headers(c):
    c.answer(headers=[b"X-%d: 1" % i for i in range(c.random.randrange(5_000, 50_000))])


@behaviour
def cookie_flood(c):
    c.answer(headers=[b"Set-Cookie: a%d=%s; Path=/" % (i, b"v" * 4000) for i in range(c.random.randrange(50, 2000))])


@behaviour
def header_garbage(c):
    c.send(b"HTTP/1.1 200 OK\r\n" + c.noise(c.random.randrange(1, 3000)).replace(b"\n", b"") + b"\r\n\r\n" + c.good_body())


@behaviour
def headers_without_end(c):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n")


@behaviour
def odd_status(c):
    status = c.random.choice([b"0 Zero", b"99999 Large", b"-1 Negative", b"OK", b"", b"2x0 Mixed", b"999 None", b"1e2 Exponent"])
    c.answer(status=status)


@behaviour
def odd_version(c):
    c.answer(version=c.random.choice([b"HTTP/9.9", b"HTTP/2", b"HTTP/1.1.1", b"HTTP/0.9", b"http/1.1", b"ICY", b"RTSP/1.0"]))


@behaviour
def http_0_9(c):
    c.send(c.good_body())


@behaviour
def bare_line_feeds(c):
    body = c.good_body()
    c.send(b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(body) + body)


@behaviour
def continue_flood(c):
    while True:
        c.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


@behaviour
def early_hints_flood(c):
    while True:
        c.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 100)


@behaviour
def continue_drip(c):
    while True:
        c.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        c.pause(0.1)


@behaviour
def switching_protocols(c):
    c.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + c.noise(1000))
    c.forever()


# Time.

@behaviour
def silent(c):
    c.forever()


@behaviour(reads=False)
def silent_before_the_request(c):
    c.forever()


@behaviour(reads=False)
def reads_nothing(c):
    """The window of what is sent to it closes: an upload hangs."""
    while True:
        c.check()
        time.sleep(0.05)


@behaviour
def drip_status_line(c):
    c.send(b"HTTP/1.1 200 ")
    while True:
        c.send(b"A")
        c.pause(0.05)


@behaviour
def drip_headers(c):
    c.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        c.send(b"X-%d: 1\r\n" % c.random.randrange(1000))
        c.pause(0.1)


@behaviour
def drip_body(c):
    c.head(b"Content-Length: 1000000")
    while True:
        c.send(b" ")
        c.pause(c.random.choice([0.01, 0.1, 0.5]))


@behaviour
def drip_chunks(c):
    c.head(b"Transfer-Encoding: chunked")
    while True:
        c.send(b"1\r\n \r\n")
        c.pause(0.1)


@behaviour
def stops_in_the_body(c):
    body = c.good_body()
    c.head(b"Content-Length: %d" % len(body))
    c.send(body[:c.random.randrange(len(body))])
    c.forever()


# Lengths and chunks.

@behaviour
def length_too_long(c):
    body = c.good_body()
    c.head(b"Content-Length: %d" % (len(body) + c.random.randrange(1, 1000)))
    c.send(body)


@behaviour
def length_too_short(c):
    body = c.good_body()
    c.head(b"Content-Length: %d" % c.random.randrange(len(body)))
    c.send(body)


@behaviour
def odd_length(c):
    lengths = [b"-1", b"-9223372036854775808", b"99999999999999999999", b"9223372036854775807", b"0x10", b"1e9", b"", b"12 13", b"many"]
    c.head(b"Content-Length: " + c.random.choice(lengths))
    c.send(c.good_body())


@behaviour
def lengths_that_differ(c):
    body = c.good_body()
    c.head(b"Content-Length: %d" % len(body), b"Content-Length: 7")
    c.send(body)


@behaviour
def length_and_chunks(c):
    body = c.good_body()
    c.head(b"Content-Length: %d" % c.random.choice([3, len(body), 10**9]), b"Transfer-Encoding: chunked")
    c.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


@behaviour
def chunk_cut(c):
    body = c.good_body()
    whole = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    c.head(b"Transfer-Encoding: chunked")
    c.send(whole[:c.random.randrange(len(whole))])


@behaviour
def odd_chunk_size(c):
    c.head(b"Transfer-Encoding: chunked")
    c.send(c.random.choice([b"-1", b"ffffffffffffffff", b"7fffffffffffffff", b"zz", b"", b"0x5", b"1" * 5000]) + b"\r\n" + c.good_body())


@behaviour
def endless_chunk_extension(c):
    c.head(b"Transfer-Encoding: chunked")
    c.send(b"5;")
    while True:
        c.send(b"a=b;" * 10000)


@behaviour
def endless_trailers(c):
    body = c.good_body()
    c.head(b"Transfer-Encoding: chunked")
    c.send(b"%x\r\n%s\r\n0\r\n" % (len(body), body))
    while True:
        c.send(b"X-Trailer: 1\r\n" * 1000)


@behaviour
def endless_chunks(c):
    c.head(b"Transfer-Encoding: chunked")
    block = b"10000\r\n" + b" " * 65536 + b"\r\n"
    while True:
        c.send(block)


@behaviour
def endless_body(c):
    c.head(b"Connection: close")
    while True:
        c.send(b'{"status":"success"}' * 3000)


@behaviour
def odd_transfer_encoding(c):
    c.head(b"Transfer-Encoding: " + c.random.choice([b"gzip", b"identity", b"chunked, chunked", b"gzip, chunked", b"xchunked", b""]))
    body = c.good_body()
    c.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


# Packed answers.

def bomb(c, status):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    c.head(b"Content-Encoding: gzip", b"Connection: close", status=status)
    c.send(packer.compress(b"[") + packer.flush(zlib.Z_FULL_FLUSH))
    block = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = block.compress(b" " * (1 << 24)) + block.flush(zlib.Z_FULL_FLUSH)  # 16 MiB in 16 KiB, at any place of a stream
    for _ in range(1024):
        c.send(zeros)


@behaviour
def gzip_bomb(c):
    bomb(c, b"200 OK")


@behaviour
def gzip_bomb_as_error(c):
    bomb(c, c.random.choice([b"400 Bad Request", b"500 Oops", b"503 Later", b"422 Too Much"]))


@behaviour
def gzip_garbage(c):
    c.answer(c.random.choice([b"", b"\x1f\x8b\x08\x00"]) + c.noise(c.random.randrange(1, 5000)), headers=[b"Content-Encoding: gzip"])


@behaviour
def gzip_cut(c):
    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = packed.compress(c.good_body()) + packed.flush()
    c.answer(data[:c.random.randrange(len(data))], headers=[b"Content-Encoding: gzip"])


@behaviour
def gzip_upon_gzip(c):
    body, layers = c.good_body(), c.random.randrange(2, 40)
    for _ in range(layers):
        packed = zlib.compressobj(9, zlib.DEFLATED, 31)
        body = packed.compress(body) + packed.flush()
    c.answer(body, headers=[b"Content-Encoding: " + b", ".join([b"gzip"] * layers)])


@behaviour
def odd_content_encoding(c):
    c.answer(headers=[b"Content-Encoding: " + c.random.choice([b"br", b"zstd", b"compress", b"x-unknown", b"deflate", b",,,"])])


# Connections.

@behaviour(reads=False)
def closes_at_once(c):
    del c


@behaviour
def closes_without_an_answer(c):
    del c


@behaviour
def resets(c):
    if c.random.random() < 0.5:
        c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@behaviour(reads=False)
def garbage(c):
    c.send(c.noise(c.random.randrange(1, 100_000)))


@behaviour
def zeros(c):
    c.send(b"\0" * c.random.randrange(1, 1_000_000))


@behaviour(reads=False)
def answers_before_the_request(c):
    c.answer(HOSTS)
    c.pause(1)


@behaviour
def two_answers(c):
    c.answer()
    c.answer(b"wrong", status=b"500 Second")
    c.pause(1)


@behaviour(reads=False)
def encrypted(c):
    """The beginning of TLS, and an alert."""
    c.send(b"\x16\x03\x03" + struct.pack(">H", 200) + c.noise(200) + b"\x15\x03\x03\x00\x02\x02\x28")
    c.pause(1)


@behaviour(keeps=True)
def says_it_keeps_and_closes(c):
    c.answer(headers=[b"Connection: keep-alive", b"Keep-Alive: timeout=600"])
    raise Gone


@behaviour(keeps=True)
def http_1_0(c):
    c.answer(version=b"HTTP/1.0")
    raise Gone


# Redirections.

@behaviour(keeps=True)
def redirect_loop(c):
    c.answer(b"", status=c.random.choice([b"301 Moved", b"302 Found", b"303 Other", b"307 Again", b"308 Forever"]),
             headers=[b"Location: " + c.line.split(b" ")[1]])


@behaviour(keeps=True)
def redirect_without_end(c):
    c.answer(b"", status=c.random.choice([b"302 Found", b"307 Again"]), headers=[b"Location: /%d" % c.server.requests])


@behaviour(keeps=True)
def redirect_to_another_scheme(c):
    schemes = [b"file:///etc/passwd", b"FILE://localhost/etc/passwd", b"gopher://127.0.0.1:25/x", b"dict://127.0.0.1/", b"ldap://127.0.0.1/",
               b"scp://127.0.0.1/etc/passwd", b"ftp://127.0.0.1/", b"javascript:alert(1)", b"data:,x"]
    c.answer(b"", status=c.random.choice([b"302 Found", b"307 Again"]), headers=[b"Location: " + c.random.choice(schemes)])


@behaviour(keeps=True)
def redirect_without_location(c):
    c.answer(b"", status=c.random.choice([b"301 Moved", b"302 Found", b"307 Again", b"304 Unchanged", b"300 Many"]))


@behaviour(keeps=True)
def redirect_to_nobody(c):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    c.answer(b"", status=c.random.choice([b"301 Moved", b"307 Again"]), headers=[b"Location: http://127.0.0.1:%d/" % port])


@behaviour(keeps=True)
def redirect_to_nonsense(c):
    places = [b"http://", b"http://[", b"http://a b/", b"//", b"http://127.0.0.1:99999/", b"http://user:secret@127.0.0.1:1/", b"\x01\x02",
              b"http:///x", b"/" + b"a" * 60_000, b"?" * 3000, b"http://%00/", c.noise(100).replace(b"\n", b"").replace(b"\r", b"")]
    c.answer(b"", status=c.random.choice([b"302 Found", b"308 Forever"]), headers=[b"Location: " + c.random.choice(places)])


# Statuses and bodies.

@behaviour
def no_content_with_body(c):
    c.answer(status=b"204 No Content")


@behaviour(keeps=True)
def always_fails(c):
    c.answer(c.noise(500), status=c.random.choice([b"500 Oops", b"501 No", b"502 Bad", b"503 Later", b"504 Late", b"520 Odd", b"599 Last"]))


@behaviour(keeps=True)
def retry_in_a_year(c):
    c.answer(b"", status=c.random.choice([b"429 Slow", b"503 Later"]),
             headers=[b"Retry-After: " + c.random.choice([b"31536000", b"99999999999999999999", b"Fri, 20 Nov 2100 19:21:34 GMT", b"-5"])])


@behaviour(keeps=True)
def asks_for_credentials(c):
    schemes = [b"Basic realm=\"x\"", b"Negotiate", b"NTLM", b"Digest realm=\"x\", nonce=\"" + b"a" * 5000 + b"\"", b"Bearer", c.noise(50).replace(b"\n", b"")]
    c.answer(b"", status=c.random.choice([b"401 Who", b"407 Proxy"]),
             headers=[b"WWW-Authenticate: " + c.random.choice(schemes), b"Proxy-Authenticate: " + c.random.choice(schemes)])


@behaviour(keeps=True)
def terminal_controls(c):
    c.answer(b"\x1b]0;owned\x07\x1b[2J\r\n" * 20, status=c.random.choice([b"400 \x1b[2J", b"403 No", b"418 Tea", b"500 \x07"]))


@behaviour(keeps=True)
def login_page(c):
    c.answer(b"<html><head><title>Log in</title></head>" + b"<br>" * c.random.randrange(100_000))


@behaviour(keeps=True)
def nested_deeply(c):
    c.answer(c.random.choice([b"[", b'{"a":', b'{"data":[']) * c.random.randrange(10_000, 1_000_000))


@behaviour(keeps=True)
def many_names(c):
    count = c.random.randrange(300_000, 1_500_000)
    c.answer(b'{"status":"success","data":[' + b",".join(b'"h%x"' % i for i in range(count)) + b"]}")


@behaviour(keeps=True)
def many_labels(c):
    labels = ",".join(f'"l{i}":"{i}"' for i in range(c.random.randrange(100_000, 500_000)))
    c.answer(HOSTS if b"/label/" in c.line else
             b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{%s},"values":[[1795202494,"1"]]}]}}' % labels.encode())


@behaviour(keeps=True)
def many_series(c):
    if b"/label/" in c.line:
        c.answer(HOSTS)
        return
    one = '{"metric":{"__name__":"node_disk_reads_completed_total","instance":"h%d","device":"%x"},"values":[[1795202494,"1"]]}'
    count = c.random.randrange(50_000, 200_000)
    series = ",".join(one % (i % c.random.choice([1, 100, 1000]), i) for i in range(count))
    c.answer(b'{"status":"success","data":{"resultType":"matrix","result":[%s]}}' % series.encode())


@behaviour(keeps=True)
def impossible_values(c):
    odd = ["-1", "1e400", "NaN", "+Inf", "many", "", "9" * 5000, "0x1p3", "1,5"]
    points = ",".join(f'[{c.random.choice(["1795202494", "-1e300", "1e18", "0", "1795202494.9999"])},"{c.random.choice(odd)}"]' for _ in range(200))
    c.answer(HOSTS if b"/label/" in c.line else
             b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":%s,"values":[%s]}]}}'
             % (json.dumps(SERIES).encode(), points.encode()))


@behaviour(keeps=True)
def no_unicode(c):
    c.answer(c.random.choice([b"\xff\xfe", b'{"status":"\xff\xff"}', b'{"status":"success","data":["\xc3\x28","\xed\xa0\x80"]}', b"\xef\xbb\xbf{}"]))


@behaviour(keeps=True)
def torn_json(c):
    body = c.good_body()
    c.answer(body[:c.random.randrange(len(body))])
