import Glibc
import OverlayHost

let program = CommandLineProgram(
    interruption: .install(), paths: .current(),
    console: { StandardStreams.console(json: $0, quiet: $1) })
exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
