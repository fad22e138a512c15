extension Format {
    /// One recogniser: what the hints, and if asked the content, of a context are; nil if it does not know.
    ///
    /// Any thread may call it. It must not keep the context.
    public typealias Sniffer = @Sendable (_ context: any SnifferContext, _ inspectingContent: Bool) -> Format?

    /// The sniffers that a guess asks unless it is given others: at first the 18 of the proposal, in its order.
    ///
    /// An application may add and remove some. Any thread may read and change the list at any time, and a change such as
    /// `append` is one step; a guess under way keeps the list it began with.
    public static var defaultSniffers: [Sniffer] {
        get { snifferList.read() }
        _modify {
            snifferList.lock()
            defer { snifferList.unlock() }
            yield &snifferList.sniffers
        }
    }

    /// Sniffers of formats that later texts added: images, audio, packages of W3C, and generic containers last.
    ///
    /// They change no result of the 18 in `guessExtended`, which asks them only when those know nothing.
    public static let extendedSniffers: [Sniffer] = BuiltInSniffer.laterSniffers

    private static let snifferList = SnifferList(BuiltInSniffer.draftSniffers)
}
