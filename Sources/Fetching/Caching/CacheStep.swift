/// The changes that the store makes to its files, one system call each. Tests stop or fail them.
package enum CacheStep: String, Sendable {
    case createFolder, createFile, write, syncFile, touch, remove, rename, syncFolder
}
