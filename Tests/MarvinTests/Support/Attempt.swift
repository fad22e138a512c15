import Testing

/// Returns the result of `body`; if it throws, records an issue and returns nil.
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
