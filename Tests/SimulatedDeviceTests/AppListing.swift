import TestSupport

/// What ideviceinstaller lists; the list is an option of version 1.1, and a verb of 1.2.
func listOfApps(_ options: [String]) throws -> ProgramResult {
    let result = try runProgram("ideviceinstaller", options + ["-l"])
    guard result.errors.contains("invalid option") else { return result }
    return try runProgram("ideviceinstaller", options + ["list"])
}
