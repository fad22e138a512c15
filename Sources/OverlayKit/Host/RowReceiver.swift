import OverlayABI

/// Receives the rows that a service function pushes into a sink of ours, and keeps them in order.
///
/// A row that cannot be converted stops the call; `finish` then throws why.
final class RowReceiver<Row> {
    private(set) var rows: [Row] = []
    private var failure: OverlayError?
    private let handler: ((Row) throws(OverlayError) -> Void)?

    /// Keeps the rows.
    init() { handler = nil }

    /// Hands each row on instead of keeping it.
    init(_ handler: @escaping (Row) throws(OverlayError) -> Void) { self.handler = handler }

    /// Takes what `convert` makes, for the C function of a sink.
    ///
    /// After a failure nothing more is taken, whatever the host does.
    func receive(_ convert: () throws(OverlayError) -> Row) -> ovl_status {
        guard failure == nil else { return OVL_STOPPED }
        do throws(OverlayError) {
            let row = try convert()
            if let handler { try handler(row) } else { rows.append(row) }
            return OVL_OK
        } catch {
            failure = error
            return OVL_STOPPED
        }
    }

    /// Runs the call that feeds this receiver. Why the receiver stopped it counts more than what the call then says.
    func finish(_ call: () throws(OverlayError) -> Void) throws(OverlayError) {
        do throws(OverlayError) {
            try call()
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// The context of a sink that feeds this receiver, which must outlive the call.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The receiver behind the context of a sink, or nil if the host passes null.
    static func from(_ context: UnsafeMutableRawPointer?) -> RowReceiver? {
        context.map { Unmanaged<RowReceiver>.fromOpaque($0).takeUnretainedValue() }
    }
}
