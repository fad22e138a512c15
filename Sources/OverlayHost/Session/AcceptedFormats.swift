import Platform

/// The formats that a reader app accepts, and other apps on the device that may accept more.
struct AcceptedFormats {
    /// The name of the app.
    let app: String
    /// The extensions of the files; empty for any.
    let extensions: [String]
    /// The other apps that could be chosen.
    let others: [AppChoice.OtherApp]

    /// A hint about a file that the app does not accept. It names another app that does, if there is one.
    ///
    /// - Parameter advice: the beginning of the hint, without a full stop.
    func advice(_ advice: String, for ending: String) -> String {
        guard let other = other(for: ending) else { return advice + "." }
        return advice + ", or use another app: --app \(other.shellWord)."
    }

    /// The code of the hint; nil if it names no app.
    func adviceCode(for ending: String) -> HintCode? { other(for: ending) == nil ? nil : .chooseApp }

    private func other(for ending: String) -> String? {
        guard !ending.isEmpty else { return nil }
        return others.first { $0.formats.isEmpty || $0.formats.contains(ending) }?.name
    }
}
