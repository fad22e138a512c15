import OverlayABI

/// A sink of the host as a method of an overlay sees it: what it has in common with every other one.
///
/// Once the sink has answered anything but OVL_OK it is never called again: each further row throws the same error.
class ForeignSink {
    let arena = Arena()
    private(set) var refusal: OverlayError?

    /// Throws if the sink has had enough.
    final func checkOpen() throws(OverlayError) {
        if let refusal { throw refusal }
    }

    /// Takes the sink's answer.
    final func answered(_ status: ovl_status) throws(OverlayError) {
        arena.reset()
        guard status != OVL_OK else { return }
        let error = OverlayError(OverlayStatus(rawValue: status), "The receiver wants no more results.")
        refusal = error
        throw error
    }

    /// The sink at a pointer the contract promises not to be null.
    static func required<Sink: ABIRecord, Put>(
        _ pointer: UnsafePointer<Sink>, _ put: (Sink) -> Put?
    ) throws(OverlayError) -> (Sink, Put) {
        let sink = try Sink.copy(required: pointer)
        guard let function = put(sink) else {
            throw .contractBroken("A \(Sink.self) has no function.")
        }
        return (sink, function)
    }
}
