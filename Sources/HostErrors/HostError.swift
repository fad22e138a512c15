@_exported import Diagnostics

/// What went wrong, for a program (`code`) and for a person (`message`, `subject`, `hint`).
///
/// The failure of a lower layer is kept whole in `underlying`, and its untouched number in `native`.
///
/// ```swift
/// do {
///     _ = try Preferences(file: "/home/reader/preferences.json").read()
/// } catch {
///     print(error.message, error.hint ?? "")
///     exit(error.exitStatus.rawValue)
/// }
/// ```
public typealias HostError = Failure<HostErrorCode>

extension Failure where Code == HostErrorCode {
    /// The exit status of a program that this error ends.
    public var exitStatus: ExitStatus { code.exitStatus }
}
