"""An MCP server over stdio whose tool tries what a program behind MCP has no need of, and says what the kernel answered."""
import ctypes, errno, json, os, platform, socket, sys

LIBC = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
CALLS = {"unshare": 272 if X86 else 97, "keyctl": 250 if X86 else 219, "add_key": 248 if X86 else 217,
         "userfaultfd": 323 if X86 else 282, "bpf": 321 if X86 else 280, "mount": 165 if X86 else 40,
         "io_uring_setup": 425, "pidfd_getfd": 438, "clone3": 435}
NEW_USER, SESSION_KEYRING = 0x10000000, -3


def call(name, *arguments):
    answer = LIBC.syscall(CALLS[name], *arguments)
    return "done" if answer >= 0 else errno.errorcode[ctypes.get_errno()]


def open_socket(family, kind, protocol=0):
    try:
        socket.socket(family, kind, protocol).close()
        return "done"
    except OSError as refused:
        return errno.errorcode[refused.errno]


def read(path):
    try:
        with open(path, "rb") as file:
            return "read" if file.read(1) else "nothing"
    except OSError as refused:
        return errno.errorcode[refused.errno]


def write(path):
    try:
        with open(path, "r+") as file:
            file.write("1")
        return "done"
    except OSError as refused:
        return errno.errorcode[refused.errno]


def status_of(process):
    return dict(line.split(":\t", 1) for line in open("/proc/%s/status" % process) if ":\t" in line)


def kernel():
    status = status_of("self")
    clone_arguments = (ctypes.c_uint64 * 8)(NEW_USER)
    return {
        "filter": status["Seccomp"].strip(),
        "filters of all": " ".join(sorted({status_of(each)["Seccomp"].strip() for each in os.listdir("/proc") if each.isdigit()})),
        "new privileges": status["NoNewPrivs"].strip(),
        "session keyring": call("keyctl", 0, SESSION_KEYRING, 0, 0, 0),
        "search of keys": call("keyctl", 10, SESSION_KEYRING, b"user", b"any", 0),
        "a new key": call("add_key", b"user", b"any", b"x", 1, SESSION_KEYRING),
        "user namespace": call("unshare", NEW_USER),
        "network namespace": call("unshare", 0x40000000),
        "user namespace by clone3": call("clone3", clone_arguments, 64),
        "mount": call("mount", b"none", b"/tmp", b"tmpfs", 0, 0),
        "io_uring": call("io_uring_setup", 1, ctypes.create_string_buffer(256)),
        "userfaultfd": call("userfaultfd", 1),
        "bpf": call("bpf", 0, 0, 0),
        "vsock": open_socket(40, socket.SOCK_STREAM),
        "raw": open_socket(socket.AF_INET, socket.SOCK_RAW, 1),
        "packets": open_socket(socket.AF_PACKET, socket.SOCK_DGRAM),
        "alg": open_socket(38, socket.SOCK_SEQPACKET),
        "netfilter": open_socket(16, socket.SOCK_RAW, 12),
        "unix": open_socket(socket.AF_UNIX, socket.SOCK_STREAM),
        "inet": open_socket(socket.AF_INET, socket.SOCK_STREAM),
        "inet6": open_socket(socket.AF_INET6, socket.SOCK_DGRAM),
        "/proc/keys": read("/proc/keys"),
        "/proc/key-users": read("/proc/key-users"),
        "/proc/cmdline": read("/proc/cmdline"),
        "/proc/timer_list": read("/proc/timer_list"),
        "/proc/bus": str(os.listdir("/proc/bus")),
        "sysctl": write("/proc/sys/net/ipv4/ip_forward"),
    }


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "probing", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "kernel", "description": "Asks the kernel.", "inputSchema": {"type": "object"}}]}
    elif message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": json.dumps(kernel())}]}
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
