import ArgumentParser
import Foundation
import OverlayHost
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
    private func offered(_ script: String, _ words: String..., home: String? = nil) throws -> [String] {
        let folder = try TemporaryFolder()
        try Data(script.utf8).write(to: folder.url.appendingPathComponent("script"))
        let all = [try buildProductsFolder().appendingPathComponent("overlayhost").path] + words
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
            ] + all,
            environment: [
                "HOME": home ?? folder.url.path, "XDG_CACHE_HOME": nil, "XDG_CONFIG_HOME": nil,
                "XDG_DATA_HOME": nil,
            ],
            folder: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map { String($0) }
    }

    private var commands: [String] {
        OverlayHostCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    @Test("bash offers commands, and those of a group; nothing follows a command")
    func bash() throws {
        let bash = try script("bash")
        #expect(try offered(bash, "help", "") == commands)
        #expect(try offered(bash, "help", "bo") == ["books"])
        #expect(try offered(bash, "help", "prefs", "") == ["list", "get", "set", "unset", "path"])
        #expect(try offered(bash, "help", "prefs", "se") == ["set"])
        #expect(try offered(bash, "help", "books", "") == [])
        #expect(try offered(bash, "help") == [])
        // The rest of the script is unchanged.
        #expect(try offered(bash, "bo") == ["books"])
        #expect(try offered(bash, "prefs", "un") == ["unset"])
    }

    @Test("bash offers the languages of a new overlay")
    func languages() throws {
        let offered = try offered(try script("bash"), "new", "paper", "--language", "")
        #expect(offered == ProjectLanguage.allCases.map(\.rawValue))
    }

    @Test("bash offers titles as they are, and expands or runs nothing in them")
    func titles() throws {
        let home = try TemporaryFolder()
        let file = home.path("run")
        let titles = [
            "$(touch \(file))", "`touch \(file)`", "$\u{301}(touch \(file))", "$HOME", "~", "*", "{a,b}",
            "\"half",
            "it's", "a\\b", "Emma & Emma; or so", "日本 $(touch \(file))", "Pride and Prejudice",
        ]
        let kept = KnownNames(HostPaths(environment: ["HOME": home.url.path], executable: nil))
        kept.keep(titles + ["two\nlines", "\u{1B}[31mred", "--yes"], .books)
        let bash = try script("bash")
        #expect(try offered(bash, "delete", "", home: home.url.path).sorted() == titles.sorted())
        #expect(try offered(bash, "delete", "Pr", home: home.url.path) == ["Pride and Prejudice"])
        #expect(!FileManager.default.fileExists(atPath: file))
        // The script of zsh separates names from descriptions with colons; that of fish reads lines.
        #expect(KnownNames.printed("A: \\B", for: .zsh) == "A\\: \\\\B")
        #expect(KnownNames.printed("A: $B", for: .fish) == "A: $B")
    }

    @Test("The scripts of zsh and fish name each command with what it does, once for each place")
    func others() throws {
        let zsh = try script("zsh")
        let function = try #require(
            zsh.components(separatedBy: "\n_overlayhost_help() {\n").last?
                .components(separatedBy: "\n}\n").first)
        let fish = try script("fish").split(separator: "\n")
        for command in OverlayHostCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
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
