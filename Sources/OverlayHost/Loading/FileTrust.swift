import Glibc

/// Whether a file or folder can have been changed by somebody else than its owner and root.
enum FileTrust {
    /// Why others could have written it, as a clause that follows its name; nil if they could not.
    ///
    /// `user` is the effective user of this process.
    static func problem(mode: mode_t, owner: uid_t, user: uid_t) -> String? {
        if owner != 0, owner != user { return "belongs to another user (\(owner))" }
        let octal = String(mode & 0o7777, radix: 8)
        switch mode & 0o022 {
        case 0: return nil
        case 0o020: return "can be written by its group (mode \(octal))"
        default: return "can be written by everybody (mode \(octal))"
        }
    }

    /// The problem of what `status` describes.
    static func problem(_ status: stat) -> String? {
        problem(mode: status.st_mode, owner: status.st_uid, user: geteuid())
    }

    /// The refusal for a file or folder with a problem.
    static func refusal(_ subject: String, _ problem: String) -> OverlayRefusal {
        OverlayRefusal(
            .writableByOthers, "\(subject) \(problem), so an overlay in it could have been planted.",
            hint: "Make it your own and run: chmod go-w on it.")
    }
}
