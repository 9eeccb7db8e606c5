#pragma once

/// The fields of the kernel's structs that the program needs, and no others. Their places are not these: they
/// are written anew as the program is loaded, from the BTF of the kernel that runs (CO-RE), so that building
/// needs no BTF and one build runs on many kernels.

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
  unsigned long r10, r9, r8, dx, si, di, orig_ax;
};

struct thread_info {
  unsigned int status;
};

struct super_block {
  unsigned long s_magic;
};

struct inode {
  unsigned short i_mode;
  unsigned long i_ino;
  struct super_block* i_sb;
};

struct qstr {
  const unsigned char* name;
};

struct dentry {
  struct dentry* d_parent;
  struct qstr d_name;
  struct {
    void** pprev;
  } d_hash;
};

struct vfsmount {
  struct dentry* mnt_root;
};

struct mount {
  struct mount* mnt_parent;
  struct dentry* mnt_mountpoint;
  struct vfsmount mnt;
};

struct path {
  struct vfsmount* mnt;
  struct dentry* dentry;
};

struct file {
  unsigned int f_flags;
  void* private_data;
  struct inode* f_inode;
  struct path f_path;
};

struct fdtable {
  unsigned int max_fds;
  struct file** fd;
  unsigned long* close_on_exec;
};

struct files_struct {
  struct fdtable* fdt;
};

struct signal_struct {
  struct {
    int counter;
  } live;
};

typedef struct {
  unsigned long sig[1];
} sigset_t;

struct sigpending {
  sigset_t signal;
};

struct upid {
  int nr;
};

struct pid {
  unsigned int level;
  struct upid numbers[1];
};

struct task_struct {
  struct thread_info thread_info;
  int pid;
  int tgid;
  int exit_code;
  struct sigpending pending;
  unsigned int flags;
  char comm[16];
  struct task_struct* group_leader;
  struct files_struct* files;
  struct signal_struct* signal;
  struct pid* thread_pid;
};

struct in6_addr {
  union {
    unsigned char u6_addr8[16];
  } in6_u;
};

struct sock_common {
  unsigned int skc_daddr;
  unsigned int skc_rcv_saddr;
  unsigned short skc_dport;
  unsigned short skc_num;
  unsigned short skc_family;
  struct in6_addr skc_v6_daddr;
  struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
  struct sock_common __sk_common;
  unsigned short sk_protocol;
};

struct sockaddr_un {
  unsigned short sun_family;
  char sun_path[108];
};

struct unix_address {
  int len;
  struct sockaddr_un name[0];
};

struct unix_sock {
  struct unix_address* addr;
};

struct socket {
  short type;
  struct sock* sk;
};

struct kernel_siginfo {
  int si_code;
  union {
    struct {
      int _pid;
    } _kill;
  } _sifields;
};

struct linux_binprm {
  const char* filename;
};

struct bpf_iter__task {
  struct task_struct* task;
};

struct bpf_iter__task_file {
  struct task_struct* task;
  unsigned int fd;
  struct file* file;
};

#pragma clang attribute pop

struct k_sigaction;
