/// A reader app that the preferences may name even if no overlay for it is installed.
///
/// ```swift
/// let app = KnownReaderApp.all.first { $0.isCalled("iBooks") }
/// print(app?.name ?? "unknown", app?.bundleIDs ?? [])  // Books ["com.apple.iBooks"]
/// ```
public struct KnownReaderApp: Sendable, Equatable {
    /// The name in the preferences.
    public let name: String
    /// The bundle identifiers in order of preference.
    public let bundleIDs: [String]
    /// Whether the app is part of iOS. Such an app is on every device, even if iOS does not list it, and its books
    /// are in the media folder.
    public var isPartOfIOS = false

    /// Other names, such as an earlier one.
    public var aliases: [String] = []

    /// Whether the app has this name or alias, ignoring case.
    public func isCalled(_ name: String) -> Bool {
        ([self.name] + aliases).contains { $0.lowercased() == name.lowercased() }
    }

    /// The app with this bundle identifier that is part of iOS; nil if there is none.
    package static func partOfIOS(_ bundleID: String) -> KnownReaderApp? {
        all.first { $0.isPartOfIOS && $0.bundleIDs.contains(bundleID) }
    }

    /// The apps that the calibre plugin "iOS reader applications" supports.
    public static let all: [KnownReaderApp] = [
        KnownReaderApp(
            name: "Marvin",
            bundleIDs: [
                "com.appstafarian.MarvinIP", "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin",
            ]),
        KnownReaderApp(
            name: "GoodReader", bundleIDs: ["com.goodiware.GoodReaderIPad", "com.goodiware.GoodReader"]),
        KnownReaderApp(name: "GoodReader 4", bundleIDs: ["com.goodiware.goodreader4"]),
        KnownReaderApp(name: "Kindle", bundleIDs: ["com.amazon.Lassen"]),
        KnownReaderApp(
            name: "Books", bundleIDs: ["com.apple.iBooks"], isPartOfIOS: true, aliases: ["iBooks"]),
    ]
}
