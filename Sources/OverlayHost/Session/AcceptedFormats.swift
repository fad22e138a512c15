import Platform

/// The formats that a reader app accepts, and other apps on the device that may accept more. For one thread.
final class AcceptedFormats {
    /// The name of the app.
    let app: String
    /// The extensions of the files; empty for any.
    let extensions: [String]
    /// Asks the device for the other apps that could be chosen. Called once, for the first file that the app does not
    /// accept.
    private let ask: () -> [OtherApp]
    private lazy var others = ask()

    init(app: String, extensions: [String], others ask: @escaping () -> [OtherApp]) {
        (self.app, self.extensions, self.ask) = (app, extensions, ask)
    }

    /// The error for a file that the app does not accept. The hint names another app that may accept it, if there is
    /// one.
    ///
    /// - Parameters:
    ///   - ending: the extension of files with this content.
    ///   - hint: a complete sentence.
    func refusal(_ message: String, _ path: String, for ending: String, hint: String) -> HostError {
        guard !ending.isEmpty, let other = others.first(where: { $0.accepts(ending) }) else {
            return HostError(.unsupportedFormat, message, subject: path, hint: hint)
        }
        return HostError(
            .unsupportedFormat, message, subject: path,
            hint: hint + " \(other.name) may accept it: use --app \(other.argument.shellWord).",
            hintCode: .chooseApp)
    }
}
