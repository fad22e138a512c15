import OverlayABI
import OverlayBridge

/// Names of running methods, with which programs that use one device at the same time take turns; the Swift
/// form of `ovl_calls_service`, since minor version 3.
///
///     let name = try host.calls.name()
///     let isFree = host.calls.hasEnded(name)
public struct CallsService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table; of its functions `name`, which may not be called from any thread, says so.
    private let table: ovl_calls_service

    /// The service that a table of the host provides. Functions may be missing in it.
    package init(_ table: ovl_calls_service) { self.table = table }

    /// A new name for the running method, to write where other programs see it: at most 96 bytes of
    /// `[0-9a-z-]`. [device thread]
    ///
    /// - Throws: `notSupported` if the host has no such service.
    public func name() throws(OverlayError) -> String {
        let receiver = RowReceiver<String>()
        var sink = receiver.textSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.name_call, "calls.name_call") { $0(table.ctx, &sink, $1) }
        }
        guard let name = receiver.rows.first else {
            throw .contractBroken("The host did not return a name for the running method.")
        }
        return name
    }

    /// Whether the method with this name has certainly returned, or its program ended. False for all names
    /// from other computers. [any thread]
    public func hasEnded(_ name: String) -> Bool {
        guard let hasEnded = table.has_ended else { return false }
        let arena = Arena()
        var view = arena.text(name)
        return withExtendedLifetime(arena) { hasEnded(table.ctx, &view) != 0 }
    }
}
