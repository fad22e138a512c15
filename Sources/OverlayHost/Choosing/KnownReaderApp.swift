/// A reader app whose name has a meaning in the preferences, whether or not an overlay for it is installed.
public struct KnownReaderApp: Sendable, Equatable {
    /// The name in the preferences.
    public let name: String
    /// Its bundle ids, the preferred one first.
    public let bundleIDs: [String]

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
        KnownReaderApp(name: "iBooks", bundleIDs: ["com.apple.iBooks"]),
    ]
}
