/// Fills the slot `settings`.
public protocol ProvidesSettings: Overlay {
    /// {initialized, attached} What can be done with the device and app at hand.
    ///
    /// May use the preferences and, of the transport service, `device` and `roots`: it asks the device nothing.
    func settings() throws(OverlayError) -> OverlaySettings
}

/// Fills the slot `perform`.
public protocol PerformsCommands: Overlay {
    /// {attached} Performs a command of the reader app that belongs to no other method; the overlay's help says which
    /// there are, and what their parameters, the `paths` of books, and the answer mean.
    ///
    /// Hosts call it in development mode only. The arguments of `answer`: the bytes; bytes from the start of the answer
    /// to this piece; bytes of the whole answer, nil: unknown. `answer` throws when the host wants no more; let that error
    /// pass.
    /// - Throws: `notSupported` for a command that the overlay does not know.
    func perform(
        _ command: String, parameters: [(String, String)], paths: [String],
        answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}
