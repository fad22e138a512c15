import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Shells complete the commands after help")
struct CompletionScriptTests {
    private func script(_ shell: String) throws -> String {
        let run = try ProgramBench().run(["--generate-completion-script", shell])
        #expect(run.status == 0, "\(run.errors)")
        return run.output
    }

    /// The completions of bash for a command line that ends with the word to complete.
    private func offered(_ script: String, _ words: String...) throws -> [String] {
        let folder = try TemporaryFolder()
        try Data(script.utf8).write(to: folder.url.appendingPathComponent("script"))
        let all = ["overlayhost"] + words
        let run = try runProgram(
            "bash",
            [
                "-c",
                """
                source "$1"; shift
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _overlayhost overlayhost "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """, "bash", folder.path("script"),
            ] + all)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map { String($0) }
    }

    private var verbs: [String] {
        OverlayHostCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    @Test("bash offers commands, and those of a group; nothing follows a command")
    func bash() throws {
        let bash = try script("bash")
        #expect(try offered(bash, "help", "") == verbs)
        #expect(try offered(bash, "help", "bo") == ["books"])
        #expect(try offered(bash, "help", "prefs", "") == ["list", "get", "set", "unset", "path"])
        #expect(try offered(bash, "help", "prefs", "se") == ["set"])
        #expect(try offered(bash, "help", "books", "") == [])
        #expect(try offered(bash, "help") == [])
        // The rest of the script is unchanged.
        #expect(try offered(bash, "bo") == ["books"])
        #expect(try offered(bash, "prefs", "un") == ["unset"])
    }

    @Test("The scripts of zsh and fish name each command with what it does, once for each place")
    func others() throws {
        let zsh = try script("zsh")
        let function = try #require(
            zsh.components(separatedBy: "\n_overlayhost_help() {\n").last?
                .components(separatedBy: "\n}\n").first)
        let fish = try script("fish").split(separator: "\n")
        for verb in OverlayHostCommand.configuration.subcommands {
            let name = try #require(verb.configuration.commandName)
            #expect(function.contains("'\(name):"), "\(name)")
            #expect(
                fish.contains {
                    $0.contains("\"overlayhost help\" -eq 1' -fa '\(name)'") && $0.contains(" -d '")
                }, "\(name)")
        }
        #expect(function.contains("'unset:") && function.contains("words[2,CURRENT-1]"))
        #expect(
            fish.contains {
                $0.contains("\"overlayhost help\" -eq 2; and __fish_seen_subcommand_from prefs' -fa 'unset'")
            })
        // A zsh function precedes the code that runs when the script is loaded.
        #expect(zsh.components(separatedBy: "_overlayhost_help() {").count == 2)
        #expect(zsh.hasSuffix("fi\n") || zsh.hasSuffix("fi"))
    }
}
