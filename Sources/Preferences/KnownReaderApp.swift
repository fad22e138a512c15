/// A reader app that the preferences can name, whether or not an overlay for it is installed.
public struct KnownReaderApp: Sendable, Equatable {
    /// The name in the preferences.
    public let name: String
    /// Its bundle ids, the preferred one first.
    public let bundleIDs: [String]
    /// Whether it is part of iOS. Then it is on every device, whether or not iOS lists it, and its books are reached by the
    /// media folder.
    public var isPartOfIOS = false

    /// Other names, such as a former one.
    public var aliases: [String] = []

    /// Whether the app has this name or alias, in upper or lower case.
    public func isCalled(_ name: String) -> Bool {
        ([self.name] + aliases).contains { $0.lowercased() == name.lowercased() }
    }

    /// The app that is part of iOS and has this bundle id; nil for any other.
    package static func partOfIOS(_ bundleID: String) -> KnownReaderApp? {
        all.first { $0.isPartOfIOS && $0.bundleIDs.contains(bundleID) }
    }

    /// The apps of the calibre plugin "iOS reader applications".
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
