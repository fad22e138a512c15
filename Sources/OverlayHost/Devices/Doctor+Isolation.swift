extension Doctor.Check {
    /// Checks how overlays are confined, with a worker started for this. Fails if the confinement is less than the
    /// kernel supports and the options do not allow this. Blocks for some milliseconds.
    public static func isolation(_ isolation: OverlayIsolation) -> Doctor.Check {
        guard case .worker(let options) = isolation else {
            return Doctor.Check(check: "isolation", ok: true, message: "Overlays run in this process.")
        }
        do throws(HostError) {
            return Doctor.Check(try Confinement.inForce(options), options)
        } catch {
            return Doctor.Check("isolation", failed: error)
        }
    }

    /// Creates the check from the confinement that a worker with these options reported.
    init(_ confinement: Confinement, _ options: WorkerOptions) {
        var message = "Overlays run in separate processes, confined by: "
        message += confinement.inForce.joined(separator: ", ") + "."
        let expected = Confinement.expected(options)
        let lacking = confinement.lacking(of: expected)
        if !lacking.isEmpty {
            message += " The kernel supports but did not grant: \(lacking.joined(separator: ", "))."
        }
        if !expected.missing.isEmpty {
            message += " The kernel does not support: \(expected.missing.joined(separator: ", "))."
        }
        if !confinement.consequences.isEmpty {
            message += " An overlay can therefore \(confinement.consequences.joined(separator: ", and "))."
        }
        message +=
            " If an overlay tries anything else, it gets an error; --verbose shows what the "
            + "overlay writes."
        let ok = lacking.isEmpty || options.allowsWeakerIsolation
        self.init(
            check: "isolation", ok: ok, message: message, hint: ok ? nil : Confinement.weakerHint,
            code: ok ? nil : .overlayRefused)
    }
}
