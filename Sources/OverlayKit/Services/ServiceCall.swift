import OverlayABI

/// Calls the functions of the host's services.
enum ServiceCall {
    /// Calls a function that may report an error, and throws this error.
    ///
    /// - Parameters:
    ///   - function: the slot of the table; nil if it is missing in this host.
    ///   - name: the name of the function, for errors.
    ///   - body: calls the function with the given error sink.
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
        // Use the returned status instead of the one in the record.
        var error = reported ?? OverlayError(.failed, "The host did not give a reason.", subject: "\(name)")
        error.status = OverlayStatus(rawValue: status)
        throw error
    }

    /// The error for a function that is missing.
    static func missing(_ name: StaticString) -> OverlayError {
        OverlayError(.notSupported, "This host does not have the function.", subject: "\(name)")
    }

    /// The error for a function that succeeded without a result.
    static func withoutResult(_ name: StaticString) -> OverlayError {
        .contractBroken("The host reported success without a result.", subject: "\(name)")
    }
}
