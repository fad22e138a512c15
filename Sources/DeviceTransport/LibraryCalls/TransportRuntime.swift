import CLibimobiledevice
import Glibc
import Platform

/// Prepares the process for libimobiledevice.
enum TransportRuntime {
    /// Prepares the process at the first call. Later calls cost nothing.
    static func prepare() { _ = prepared }

    private static let prepared: Void = {
        // A thread may still be inside the library, in a handshake or closing a session, while the program exits.
        OpenSSLLibrary.prepare()
        // OpenSSL inside the library writes without MSG_NOSIGNAL, so a pulled cable would end the process. If the
        // program has installed its own handler, it is kept.
        var current = sigaction()
        if sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil {
            signal(SIGPIPE, SIG_IGN)
        }
        // With inotify, libusbmuxd would never notice a daemon at another address that starts late or restarts.
        libusbmuxd_set_use_inotify(0)
    }()
}
