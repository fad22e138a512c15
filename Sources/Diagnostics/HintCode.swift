/// The kind of help that a hint gives, by which a program says it in its own words instead of the command line's.
///
/// A code's text is lower case words joined by `_`, and is never renamed. Later versions may add codes.
///
/// ```swift
/// func hint(_ error: HostError) -> String? {
///     switch error.hintCode {
///     case HintCode.consent: "Press Send again to agree."
///     case HintCode.chooseApp: "Choose an app in the menu."
///     default: error.hint
///     }
/// }
/// ```
public struct HintCode: RawRepresentable, Hashable, Sendable {
    /// The text of the code.
    public let rawValue: String

    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Repeat the request with the user's consent: `--yes`.
    public static let consent = Self(rawValue: "consent")
    /// Keep the existing book: `--on-conflict protect`.
    public static let protect = Self(rawValue: "protect")
    /// Replace the existing book: `--on-conflict replace`.
    public static let replace = Self(rawValue: "replace")
    /// Name collections when sending, or change them: `--collection`, `overlayhost collections`.
    public static let collections = Self(rawValue: "collections")
    /// Change a preference: `overlayhost prefs set`.
    public static let preference = Self(rawValue: "preference")
    /// List the available items: `overlayhost books`, `overlayhost apps`, `overlayhost prefs list`.
    public static let list = Self(rawValue: "list")
    /// Choose a reader app: `--app`.
    public static let chooseApp = Self(rawValue: "choose_app")
    /// Leave out an option of the request, such as `--search`.
    public static let leaveOut = Self(rawValue: "leave_out")
    /// Treat the source as a folder of files: `--as-folder`.
    public static let asFolder = Self(rawValue: "as_folder")
}
