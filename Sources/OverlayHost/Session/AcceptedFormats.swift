import Platform

/// The formats that a reader app accepts, and other apps on the device that may accept more.
struct AcceptedFormats {
    /// The name of the app.
    let app: String
    /// The extensions of the files; empty for any.
    let extensions: [String]
    /// Asks the device for the other apps that could be chosen. Called only for a file that the app does not accept.
    let others: () -> [OtherApp]

    /// The error for a file that the app does not accept. The hint names another app that does, if there is one.
    ///
    /// - Parameters:
    ///   - ending: the extension of files with this content.
    ///   - hint: a complete sentence.
    func refusal(_ message: String, _ path: String, for ending: String, hint: String) -> HostError {
        guard !ending.isEmpty, let other = others().first(where: { $0.accepts(ending) }) else {
            return HostError(.unsupportedFormat, message, subject: path, hint: hint)
        }
        return HostError(
            .unsupportedFormat, message, subject: path,
            hint: hint + " \(other.name) accepts it: use --app \(other.argument.shellWord).",
            hintCode: .chooseApp)
    }
}
