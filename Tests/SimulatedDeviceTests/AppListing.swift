import TestSupport

/// The list of ideviceinstaller. It is an option in version 1.1, and a command in 1.2.
func listOfApps(_ options: [String]) throws -> ProgramResult {
    let result = try runProgram("ideviceinstaller", options + ["-l"])
    guard result.errors.contains("invalid option") else { return result }
    return try runProgram("ideviceinstaller", options + ["list"])
}
