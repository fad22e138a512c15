extension Doctor.Check {
    /// Where overlays run and what confines them there. Always holds: a kernel that cannot confine is told of, not repaired.
    public static func isolation(_ isolation: OverlayIsolation) -> Doctor.Check {
        guard case .worker = isolation else {
            return Doctor.Check(check: "isolation", ok: true, message: "Overlays run in this process.")
        }
        let confinement = Confinement.offered()
        var message = "Overlays run in processes of their own, confined by: "
        message += confinement.inForce.joined(separator: ", ") + "."
        if !confinement.missing.isEmpty {
            message += " This kernel lacks: \(confinement.missing.joined(separator: ", "))."
        }
        if !confinement.consequences.isEmpty {
            message += " So an overlay can \(confinement.consequences.joined(separator: ", and "))."
        }
        message += " What that refuses, only the overlay learns; with --verbose its words are shown."
        return Doctor.Check(check: "isolation", ok: true, message: message)
    }
}
