import Glibc

/// Ends the program, so that the fuzzer keeps the input as a finding, unless the condition holds.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    guard !condition else { return }
    complain("property violated: \(message())")
    abort()
}

/// Writes a line on standard error.
func complain(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Returns the value of a body; nil if it throws, because a refused input is not a finding.
func attempt<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value? {
    do throws(Failure) { return try body() } catch { return nil }
}
