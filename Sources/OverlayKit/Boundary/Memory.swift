#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether `count` bytes at two places are the same. `count` is not 0.
@inline(__always)
func memoryIsEqual(_ first: UnsafeRawPointer?, _ second: UnsafeRawPointer?, _ count: Int) -> Bool {
    guard let first, let second else { return false }
    return memcmp(first, second, count) == 0
}
