/// What a property list from outside may hold before its reader gives up.
package struct PropertyListLimits: Sendable, Equatable {
    /// The most bytes.
    package var bytes: Int
    /// The most values, shared ones counted at each use, so that a small binary list of lists of lists cannot unfold into
    /// more than memory holds.
    package var values: Int
    /// How deep lists may be nested.
    package var depth: Int
    /// How many times its own size a binary list may become where each use of a shared text counts; nil: as it likes, for
    /// here such a text is kept once. Lists that go on to libplist, which copies them, need a limit.
    package var repetition: Int?

    /// Limits of any size.
    package init(bytes: Int, values: Int, depth: Int = 64, repetition: Int? = nil) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.repetition = repetition
    }

    /// For the messages of a device or a host, which need four levels and a few thousand values.
    package static let message = PropertyListLimits(bytes: 64 << 20, values: 200_000, repetition: 4)
    /// For files in which an app keeps what it knows of a whole library.
    package static let file = PropertyListLimits(bytes: 64 << 20, values: 2_000_000)
}
