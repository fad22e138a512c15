/// Leaks that AddressSanitizer ignores: functions that `Callable` makes for one object are never freed, and neither
/// is the object, in memory of libffi that the sanitizer does not scan.
@_cdecl("__lsan_default_suppressions")
func leakSuppressions() -> UnsafePointer<CChar>? {
    let suppressions: StaticString = "leak:9WorkerRPC8Callable"
    return UnsafeRawPointer(suppressions.utf8Start).assumingMemoryBound(to: CChar.self)
}
