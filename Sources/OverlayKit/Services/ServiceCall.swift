import OverlayABI

/// Makes every call into a service of the host.
enum ServiceCall {
    /// Calls a function that reports errors, and throws what it reported.
    ///
    /// - Parameters:
    ///   - function: the slot of the table; nil if this host does not have it.
    ///   - name: what the function is called, for the error.
    ///   - body: calls the function with the error sink it is given.
    static func perform<Function>(
        _ function: Function?, _ name: StaticString,
        _ body: (Function, UnsafePointer<ovl_error_sink>) -> ovl_status
    ) throws(OverlayError) {
        guard let function else { throw missing(name) }
        var reported: OverlayError?
        let status = withUnsafeMutablePointer(to: &reported) { reported in
            var sink = ovl_error_sink.sized()
            sink.ctx = UnsafeMutableRawPointer(reported)
            sink.put = { context, error in
                guard let context else { return }
                let received: OverlayError
                do throws(OverlayError) {
                    received = OverlayError(try ovl_error.copy(required: error))
                } catch {
                    received = error
                }
                context.assumingMemoryBound(to: OverlayError?.self).pointee = received
            }
            return body(function, &sink)
        }
        guard status != OVL_OK else { return }
        // The returned status counts, not the one in the record.
        var error = reported ?? OverlayError(.failed, "The host did not give a reason.", subject: "\(name)")
        error.status = OverlayStatus(rawValue: status)
        throw error
    }

    /// The function is not there.
    static func missing(_ name: StaticString) -> OverlayError {
        OverlayError(.notSupported, "This host does not have the function.", subject: "\(name)")
    }

    /// The function succeeded without its result.
    static func withoutResult(_ name: StaticString) -> OverlayError {
        .contractBroken("The host reported success without a result.", subject: "\(name)")
    }
}
