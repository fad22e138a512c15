import CommandProtocol
import OverlayKit

extension MarvinDevice {
    /// The commands of other programs that Marvin has not carried out for so long that it ignores them, as one line; nil when
    /// there are none. Costs one request, and another one where there is a command.
    ///
    /// How old they are is judged by the clock of the host, since nothing is written for a look.
    func waitingCommands() throws(OverlayError) -> String? {
        let names = Set(try names(in: paths.staging) ?? [])
        let commands = CommandName.all.filter { names.contains($0.fileName) }
        guard !commands.isEmpty else { return nil }
        let files = try files(commands.map { paths.staged($0.fileName) })
        let now = wallClock()
        let old = zip(commands, files).compactMap { command, file -> String? in
            guard let file else { return nil }
            let (age, isTooLong) = now.subtractingReportingOverflow(file.modified)
            guard isTooLong || timing.isOld(command, age: .nanoseconds(age)) else { return nil }
            return paths.staged(command.fileName)
        }
        guard !old.isEmpty else { return nil }
        return "Marvin has ignored a command from another program: \(old.joined(separator: ", ")). The "
            + "next command that changes books moves it aside, unless Marvin runs it first."
    }
}
