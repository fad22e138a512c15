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

    /// Refuses a folder that is there and with a problem, or has a file with one.
    static func check(folder: String) throws(OverlayRefusal) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            if errno == ENOENT { return }
            throw OverlayRefusal(
                .unreadable, "The folder \(folder) cannot be looked at: \(systemMessage(errno)).")
        }
        if let problem = problem(status) { throw refusal("The folder \(folder)", problem) }
        for name in FolderListing.names(folder) ?? [] {
            // What is no longer there cannot be loaded.
            guard stat("\(folder)/\(name)", &status) == 0, let problem = problem(status) else { continue }
            throw refusal("\(folder)/\(name)", problem)
        }
    }

    /// The refusal for a file or folder with a problem.
    static func refusal(_ subject: String, _ problem: String) -> OverlayRefusal {
        OverlayRefusal(
            .writableByOthers, "\(subject) \(problem), so code in it could have been planted.",
            hint: "Make it your own and run: chmod go-w on it.")
    }
}
