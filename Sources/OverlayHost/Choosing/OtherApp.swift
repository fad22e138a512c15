/// A reader app on the device that was not chosen.
struct OtherApp: Equatable {
    /// The name of the app.
    let name: String
    /// The value of `--app` that chooses it: the name, or the bundle identifier if several apps have the name.
    let argument: String
    /// The extensions of the files that the app accepts, such as `epub`; empty for any.
    let formats: [String]

    /// Whether the app accepts files with an extension.
    func accepts(_ ending: String) -> Bool { formats.isEmpty || formats.contains(ending) }
}
