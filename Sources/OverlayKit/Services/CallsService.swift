import OverlayABI
import OverlayBridge

/// Names of running methods, with which programs that use the same device take turns. The Swift form of
/// `ovl_calls_service`, since minor version 3.
///
/// ```swift
/// let name = try host.calls.name()
/// let isFree = host.calls.hasEnded(name)
/// ```
public struct CallsService: @unchecked Sendable {
    // `@unchecked`: a constant copy of a table. Its functions may be called from any thread, except `name`, as
    // documented.
    private let table: ovl_calls_service

    /// Creates the service for a table of the host. The table need not contain all functions.
    package init(_ table: ovl_calls_service) { self.table = table }

    /// Creates a name for the running method, to be written where other programs can read it: at most 96 bytes of
    /// `[0-9a-z-]`. [device thread]
    ///
    /// - Throws: `notSupported` if the host does not have this service.
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

    /// Whether it is certain that the method with this name has returned, or that its program has ended. False for
    /// all names from other computers. [any thread]
    public func hasEnded(_ name: String) -> Bool {
        guard let hasEnded = table.has_ended else { return false }
        let arena = Arena()
        var view = arena.text(name)
        return withExtendedLifetime(arena) { hasEnded(table.ctx, &view) != 0 }
    }
}
