import CSystemShims

/// Two connected sockets for two processes. Each is closed when a program is started with `exec`, unless it is passed on.
public struct SocketPair: Sendable {
    /// The end for this process.
    public let ours: Int32
    /// The end for the other process.
    public let theirs: Int32

    /// Creates a pair, which the caller closes; nil with the reason in `errno` if the system cannot create one.
    public init?() {
        var ends: [Int32] = [-1, -1]
        guard shim_socketpair(&ends) == 0 else { return nil }
        (ours, theirs) = (ends[0], ends[1])
    }
}

/// The name of this process in lists of processes.
public enum ProcessName {
    /// Sets the name, because the kernel uses that of the link with which a process was started, such as
    /// `/proc/self/exe`. The kernel keeps 15 bytes of it.
    public static func set(_ name: String) { shim_name_process(name) }
}
