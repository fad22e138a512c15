/// What AddressSanitizer is not to report as leaked: functions that `Callable` makes for one object are kept for ever, and so is the
/// object, in memory of libffi that it does not look into.
@_cdecl("__lsan_default_suppressions")
func leakSuppressions() -> UnsafePointer<CChar>? {
    let suppressions: StaticString = "leak:9WorkerRPC8Callable"
    return UnsafeRawPointer(suppressions.utf8Start).assumingMemoryBound(to: CChar.self)
}
