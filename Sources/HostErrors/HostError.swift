@_exported import Diagnostics

/// An error, described for programs (`code`) and users (`message`, `subject`, `hint`).
///
/// The error of a lower layer is kept in `underlying`, and its unchanged number in `native`.
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
    /// The exit status for a program that ends with this error.
    public var exitStatus: ExitStatus { code.exitStatus }
}
