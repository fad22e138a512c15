import Testing

/// What `body` gives; nil when it fails, which is an issue of the test that runs.
///
/// For closures that the code under test calls and that cannot throw.
@discardableResult
func attempt<Value>(_ body: () throws -> Value) -> Value? {
    do {
        return try body()
    } catch {
        Issue.record(error)
        return nil
    }
}
