import CommandProtocol
import OverlayKit

extension MarvinDevice {
    /// Takes away commands that an earlier run left behind, before anything is staged that they could name.
    ///
    /// Marvin carries out what it finds: a command from yesterday would take in half of today's files.
    func removeStaleCommands() throws(OverlayError) {
        guard let present = try names(in: paths.staging) else {
            throw OverlayError(
                .appUnavailable, "Marvin's folder for commands does not exist.", subject: paths.staging,
                hint: MarvinHint.connect)
        }
        let commands = CommandName.all.flatMap { [$0.fileName, $0.temporaryFileName] }
        for name in commands where present.contains(name) {
            host.log.notice("marvin", "A command of an earlier run was withdrawn.", ["file": name])
            try removeIfPresent(paths.staged(name))
        }
    }

    /// Removes staged files, as far as that is still possible.
    ///
    /// - Returns: those that may still be there.
    func withdraw(_ files: [String]) -> [String] {
        var left: [String] = []
        for file in files {
            do {
                try removeIfPresent(file)
            } catch {
                left.append(file)
                host.log.warning(
                    "marvin", "A staged file could not be removed: \(error.message)", ["file": file])
                // An unplugged device or a cancelled method answers the same to every further request.
                if [.deviceGone, .cancelled, .timedOut].contains(error.status) { return files }
            }
        }
        return left
    }

    private func removeIfPresent(_ path: String) throws(OverlayError) {
        do {
            try host.transport.remove(.container, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
