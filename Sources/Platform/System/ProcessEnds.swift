import Glibc

/// Whether there is no process with this number. Any thread.
///
/// A process of another user exists, and so does one that has ended until its parent has reaped it.
package func isGone(process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

/// Waits until a child process has ended, without reaping it, so that its number stays its own. Any thread.
package func waitForEnd(ofChild process: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
}

/// Waits until a child process has ended, and reaps it; another process may then get its number. Any thread.
///
/// Returns the status from `waitpid`; 0 if it is not a child of this process.
@discardableResult
package func reap(child process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
}
