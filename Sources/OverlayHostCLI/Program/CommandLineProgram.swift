import ArgumentParser
import Glibc
import JSON
import OverlayHost
import Platform

/// The whole program as a function from a command line to an exit status.
struct CommandLineProgram {
    let interruption: Interruption
    let paths: HostPaths
    /// Makes the console, once it is known whether JSON is requested.
    let console: (_ json: Bool, _ quiet: Bool) -> Console
    /// The process that runs this command again for each new build; nil without `--watch`.
    var watchingParent: WatchingParent?
    /// The work that was begun before the command line was parsed.
    var begun = BegunWork()

    /// Runs the program with `arguments`, which do not include the program's name.
    func run(_ arguments: [String]) -> ExitStatus {
        let words = ArgumentNormalizer.normalized(arguments)
        if let word = ArgumentNormalizer.fileLikeAnOption(words) {
            return refuse(
                HostError(
                    .usage, "An argument that begins with a dash is read as an option.", subject: word,
                    hint: "If it is a file, write ./\(word), or put -- before the files."),
                isJSON: words.contains("--json"))
        }
        if let error = OptionValues.emptyValue(words) {
            return refuse(error, isJSON: words.contains("--json"))
        }
        let topic = Self.topic(words)
        if words.first == "help", HelpPage(topic, isTopic: true) == nil {
            return finish(UsageError.about(topic: topic), words)
        }
        let command: any ProgramCommand
        do {
            // Help is text, and has no options.
            let short = ArgumentPlaceholders(words.first == "help" ? ["help"] + topic : words)
            var root = try OverlayHostCommand.parseAsRoot(short.words)
            guard let parsed = root as? any ProgramCommand else {
                // For help, or a group without a command, running the command throws the text to show.
                try root.run()
                return .done
            }
            command = short.restored(parsed)
        } catch {
            return finishParsing(error, words)
        }
        var console = self.console(command.options.json, command.options.quiet)
        console.isStyled = command.options.color.isStyled(console)
        var reporting = console
        do throws(HostError) {
            try command.checkOptions()
            var begun = begun
            if (command as? any DeviceCommand)?.isAboutDevices == false {
                begun.opening?.giveUp()
                begun.opening = nil
            }
            if command.options.watch, watchingParent == nil, !(command is WatchCommand) {
                let status = try WatchRunner(command, arguments, console, interruption, paths).run()
                return finish(interruption.signal == nil ? status : .interrupted, console)
            }
            let invocation = try Invocation(
                command.options, isEndless: command is WatchCommand,
                startsSimulation: type(of: command).startsSimulation, console: console,
                interruption: interruption, paths: paths, watchingParent: watchingParent,
                begun: begun)
            defer { invocation.finish() }
            // This console has the device names learnt during the run.
            reporting = invocation.console
            watchingParent?.listen(command.options, invocation, interruption.cancellation)
            let status: ExitStatus
            if let watchingParent {
                status = try watchingParent.run(command, invocation)
            } else if DeviceChoice(command.options.device).isMany,
                let command = command as? any DeviceCommand,
                command.isAboutDevices
            {
                status = try ManyDevices(invocation).run(command)
            } else {
                status = try command.run(invocation)
            }
            return finish(interruption.signal == nil ? status : .interrupted, console)
        } catch {
            reporting.report(Self.advised(error, command))
            return finish(interruption.signal == nil ? error.exitStatus : .interrupted, console)
        }
    }

    /// The error with additional advice from the command.
    private static func advised(_ error: HostError, _ command: any ProgramCommand) -> HostError {
        guard error.code == .deviceNotChosen, command is any DeviceCommand else { return error }
        var error = error
        error.hint = [error.hint, "For every device, use: --device all."].compactMap { $0 }.joined(
            separator: " ")
        return error
    }

    /// Reports an error if the result could not be written. A closed pipe is not an error, because its reader needs
    /// no more output.
    private func finish(_ status: ExitStatus, _ console: Console) -> ExitStatus {
        guard let error = console.outputError(), error != EPIPE else { return status }
        console.diagnostics(
            ErrorReport.text(HostError(.hostIO, "Cannot write the result: \(systemText(error))."))
                + "\n")
        return status == .done || status == .someFailed ? .inputOutput : status
    }

    private func refuse(_ error: HostError, isJSON: Bool) -> ExitStatus {
        console(isJSON, false).report(error)
        return error.exitStatus
    }

    /// The parser reports help and completion scripts as errors, like mistakes.
    private func finishParsing(_ error: any Error, _ words: [String]) -> ExitStatus {
        let console = self.console(words.contains("--json"), false)
        let columns = HelpPage.columns(of: console.width)
        // The parser ends the program if a terminal is narrow. `exitCode(for:)` also formats the text, and takes its
        // width from the environment or the terminal.
        let given = getenv("COLUMNS").map { String(cString: $0) }
        let widths = [console.width, given.flatMap { Int($0) }].compactMap { $0 }
        let isNarrow = widths.contains { $0 < columns }
        if isNarrow { setenv("COLUMNS", String(columns), 1) }
        defer {
            if let given, isNarrow { setenv("COLUMNS", given, 1) }
            if given == nil, isNarrow { unsetenv("COLUMNS") }
        }
        let text = OverlayHostCommand.fullMessage(for: error, columns: columns)
        guard OverlayHostCommand.exitCode(for: error) != .success else {
            if console.isJSON, words.contains("--version"), words.first != "help" {
                console.result(
                    .document(["name": .string("overlayhost"), "version": .string(OverlayHostVersion.text)])
                ) { "" }
                return finish(.done, console)
            }
            let isHelp =
                words.first == "help"
                || !words.contains { $0 == "--version" || $0.hasPrefix("--generate-completion") }
                    && words.first != ArgumentNormalizer.completion
            guard isHelp else {
                console.line(CompletionScript(text).text)
                return finish(.done, console)
            }
            guard let page = HelpPage(Self.topic(words)) else {
                return finish(UsageError(text: text, words: Self.topic(words)), words)
            }
            console.line(page.text(columns: columns))
            return finish(.done, console)
        }
        return finish(UsageError(text: text, words: words), words)
    }

    /// The words about which help is requested, without options and their values.
    private static func topic(_ words: [String]) -> [String] {
        guard words.first == "help" else { return words }
        return words.indices.dropFirst().filter { place in
            !words[place].hasPrefix("-") && !OptionValues.options.contains(words[place - 1])
        }.map { words[$0] }
    }

    private func finish(_ mistake: UsageError, _ words: [String]) -> ExitStatus {
        let console = self.console(words.contains("--json"), false)
        if console.isJSON {
            console.report(mistake.error)
        } else {
            // The parser repeats its arguments, which may contain a hostile file name.
            let lines = mistake.text.split(separator: "\n", omittingEmptySubsequences: false)
            console.diagnostics(
                lines.map { TerminalText.sanitized(String($0)) + "\n" }.joined())
        }
        return .usage
    }
}

/// The program `overlayhost`.
package enum CommandLineMain {
    /// Runs the command line of this process and ends it.
    package static func run() -> Never {
        // A worker is the same program; it ends inside this call.
        WorkerProgram.runIfAsked()
        StandardStreams.occupy()
        let expected = ExpectedWork(
            (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] })
        // Copies this process before it has other threads, and before it reads its arguments and its environment.
        let standby = StandbyWorkers(expected.workers)
        var arguments = Array(CommandLine.arguments.dropFirst())
        let interruption = Interruption.install()
        let opening = expected.opensDevice ? DeviceOpening(nil, loggers: nil, interruption.cancellation) : nil
        let watchingParent = WatchingParent(&arguments)
        let program = CommandLineProgram(
            interruption: interruption, paths: .current(),
            console: { StandardStreams.console(json: $0, quiet: $1) }, watchingParent: watchingParent,
            begun: BegunWork(standby: standby, opening: opening))
        let status = program.run(arguments)
        standby.dismiss()
        WorkerProgram.clearAway()
        // All output has been written with write(2). exit() would run clean-up code of libraries that threads waiting
        // for devices still use, and OpenSSL would crash.
        _exit(status.rawValue)
    }
}
