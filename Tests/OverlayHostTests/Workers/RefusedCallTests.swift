import OverlayTestSupport
import CSystemShims
import Foundation
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost

/// Opens a path without reading or writing it. Glibc's module lacks the constant.
private let O_PATH: Int32 = 0o10000000

@Suite(
    "A worker cannot make system calls that affect others",
    .enabled(if: Confinement.offered().inForce.contains("system calls (seccomp)")))
struct RefusedCallTests {
    /// A file and a folder outside that belong to the worker's user.
    private final class Outside {
        private let folder: TemporaryFolder
        let file: String
        let path: String
        private let before: [UInt64]

        init(_ user: WorkerUser) throws {
            folder = try TemporaryFolder()
            path = folder.path
            file = path + "/book"
            try Data("words".utf8).write(to: URL(fileURLWithPath: file))
            for place in [ProcessFolder.url.path, path] { chmod(place, 0o755) }
            for place in [path, file] where geteuid() == 0 { chown(place, user.number, user.number) }
            before = Outside.state(path) + Outside.state(file)
        }

        /// Mode, owner, size and times.
        private static func state(_ path: String) -> [UInt64] {
            var status = stat()
            guard stat(path, &status) == 0 else { return [] }
            return [
                UInt64(status.st_mode), UInt64(status.st_uid), UInt64(bitPattern: Int64(status.st_size)),
                UInt64(bitPattern: Int64(status.st_mtim.tv_sec)),
                UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
            ]
        }

        var isUnchanged: Bool { Outside.state(path) + Outside.state(file) == before }
    }

    private func expect(
        _ answer: String, _ questions: [String], _ user: WorkerUser,
        _ change: (inout WorkerOptions) -> Void = { _ in }
    ) throws {
        let answers = try ProbeWorld(user, [], change).answers(questions)
        for (question, got) in zip(questions, answers) { #expect(got == answer, "\(question)") }
    }

    @Test("Attributes of files outside can be neither changed nor watched", arguments: WorkerUser.all)
    func attributes(_ user: WorkerUser) throws {
        let outside = try Outside(user)
        let (file, folder) = (outside.file, outside.path)
        var questions = [
            "fchmodat -100 \(file) 0777", "fchownat -100 \(file) 0 0 0", "utimensat -100 \(file) 0 0",
            "inotify_init1 0", "fanotify_init 0 0", "chdir \(folder)", "fchdir 0",
            "openat -100 \(file) \(O_PATH)", "openat -100 \(folder) \(O_PATH | O_DIRECTORY)",
            "openat -100 \(file) 3", "name_to_handle_at -100 \(file) 0 0 0",
            // Tests descriptors, including those that only read.
            "fchmod 0 0777", "fchmod fd:/usr/lib/os-release 0777", "fchown 0 0 0", "utimensat 0 0 0 0",
        ]
        #if arch(x86_64)
        questions += [
            "chmod \(file) 0777", "chown \(file) 0 0", "lchown \(file) 0 0", "utime \(file) 0",
            "utimes \(file) 0", "inotify_init", "open \(file) \(O_PATH)",
        ]
        #endif
        try expect("EPERM", questions, user)
        try expect(
            "EOPNOTSUPP",
            [
                "setxattr \(file) user.a b 1 0", "lsetxattr \(file) user.a b 1 0", "fsetxattr 0 user.a b 1 0",
                "getxattr \(file) user.a 0 0", "lgetxattr \(file) user.a 0 0", "listxattr \(file) 0 0",
                "removexattr \(file) user.a",
            ], user)
        try expect("ENOSYS", ["openat2 -100 \(file) 0 0"], user)
        #expect(outside.isUnchanged)
    }

    @Test(
        "With a version of Landlock that knows neither truncating nor signals, files outside keep their content",
        arguments: WorkerUser.all)
    func olderLandlock(_ user: WorkerUser) throws {
        let outside = try Outside(user)
        try expect(
            "EPERM",
            [
                "truncate \(outside.file) 0", "openat -100 \(outside.file) \(O_TRUNC)",
                "openat -100 /usr/lib/os-release \(O_TRUNC)",
            ], user
        ) { $0.newestLandlock = 2 }
        #expect(outside.isUnchanged)
        #if arch(x86_64)
        try expect("EACCES", ["creat \(outside.file) 0600"], user) { $0.newestLandlock = 2 }
        #endif
        try expect("EACCES", ["openat -100 \(outside.file) \(O_WRONLY | O_TRUNC)"], user) {
            $0.newestLandlock = 2
        }
        #expect(outside.isUnchanged)
        try expect("done", ["file"], user) { $0.newestLandlock = 2 }
    }

    @Test(
        "No descriptor sends signals to others, with an old version of Landlock and with the kernel's own",
        arguments: WorkerUser.all, [2, UInt32.max])
    func signals(_ user: WorkerUser, _ version: UInt32) throws {
        try expect(
            "EPERM",
            [
                "fcntl 3 \(F_SETOWN) host", "fcntl 3 15 0", "fcntl 3 10 9", "fcntl 3 \(F_SETFL) \(O_ASYNC)",
                "fcntl 3 1026 1", "fcntl 0 1024 0",
            ], user
        ) { $0.newestLandlock = version }
        // FIOSETOWN, SIOCSPGRP, FIOASYNC.
        try expect("ENOTTY", ["ioctl 3 0x8901 0", "ioctl 3 0x8902 0", "ioctl 3 0x5452 0"], user) {
            $0.newestLandlock = version
        }
        try expect("done", ["fcntl 3 \(F_GETFL)", "fcntl 3 \(F_GETFD)"], user) { $0.newestLandlock = version }
    }

    @Test("Memory, messages and semaphores of System V are not available", arguments: WorkerUser.all)
    func systemV(_ user: WorkerUser) throws {
        try expect(
            "EPERM",
            [
                "shmget 7 4096 01600", "shmat 0 0 0", "shmctl 0 0 0", "shmdt 0", "msgget 7 01600",
                "msgsnd 0 0 0 0",
                "msgrcv 0 0 0 0 0", "msgctl 0 0 0", "semget 7 1 01600", "semop 0 0 0", "semtimedop 0 0 0 0",
                "semctl 0 0 0", "mq_unlink name",
            ], user)
    }

    @Test("A worker can change priority and CPU affinity only of its own process", arguments: WorkerUser.all)
    func scheduling(_ user: WorkerUser) throws {
        try expect(
            "EPERM",
            [
                "sched_setparam host null", "sched_setscheduler host 0 null", "sched_setattr host null 0",
                "sched_setaffinity host 0 null", "setpriority 0 host 19", "setpriority 1 0 19",
                "setpriority 2 0 19", "ioprio_set 1 host 0x4007", "ioprio_set 3 0 0x4007",
                "migrate_pages host 0 0 0", "move_pages host 0 0 0 0 0",
            ], user)
        try expect("done", ["setpriority 0 0 19", "ioprio_set 1 0 0x4007"], user)
    }

    @Test("A worker keeps its user, and has no capabilities", arguments: WorkerUser.all)
    func identity(_ user: WorkerUser) throws {
        let number = user.number
        try expect(
            "EPERM",
            [
                "setuid \(number)", "setgid \(number)", "setreuid \(number) \(number)",
                "setregid \(number) \(number)", "setresuid \(number) \(number) \(number)",
                "setresgid \(number) \(number) \(number)", "setfsuid \(number)", "setfsgid \(number)",
                "setgroups 0 0", "capset 0 0", "prctl 1 0",
            ], user)
        let answers = try ProbeWorld(user).answers(["setresuid 65533 65533 65533", "user", "capabilities"])
        #expect(answers[0...1] == ["EPERM", "\(number)"])
        // Without root the bounding set cannot be reduced, and is useless.
        #expect(answers[2].hasPrefix("none "))
        if number == 0 { #expect(answers[2] == "none none") }
    }

    @Test("A worker cannot change the system itself", arguments: WorkerUser.all)
    func system(_ user: WorkerUser) throws {
        try expect(
            "EPERM",
            [
                "sethostname name 4", "setdomainname name 4", "acct 0", "syslog 3 0 0", "adjtimex null",
                "clock_adjtime 0 null", "clock_settime 0 null", "mount_setattr -100 / 0 0 0",
                "fsopen tmpfs 0",
                "kexec_load 0 0 0 0", "quotactl 0 0 0 0", "quotactl_fd 0 0 0 0", "bpf 0 0 0",
                "perf_event_open 0 0 0 0 0", "keyctl 0 0", "vhangup",
            ], user)
    }

    @Test("Shared memory, which no limit counts, is not available", arguments: WorkerUser.all)
    func sharedMemory(_ user: WorkerUser) throws {
        let (shared, own, grows) = (MAP_SHARED | 0x20, MAP_PRIVATE | 0x20, MAP_PRIVATE | 0x120)
        try expect(
            "EPERM",
            [
                "memfd_create name 0", "mmap 0 4096 3 \(shared) -1 0", "mmap 0 4096 3 \(3 | 0x20) -1 0",
                "mmap 0 4096 3 \(grows) -1 0",
            ], user)
        try expect("EACCES", ["openat -100 /dev/zero \(O_RDWR)", "openat -100 /dev/zero \(O_RDONLY)"], user)
        try expect("done", ["mmap 0 4096 3 \(own) -1 0"], user)
        try expect("ENOMEM", ["mmap 0 0x40000000 3 \(own) -1 0"], user) { $0.memory = 256 << 20 }
    }

    @Test("Making memory read-only after writing does not give more memory", arguments: WorkerUser.all)
    func readOnlyMemory(_ user: WorkerUser) throws {
        let world = try ProbeWorld(user) { $0.memory = 256 << 20 }
        let answer = try world.answer("read-only-memory").split(separator: " ")
        let taken = try #require(answer.first.flatMap { Int($0) })
        // The memory itself, and the allowance for code and shared messages.
        #expect(taken >= 256 && taken <= 256 + 1024, "\(answer)")
        #expect(answer.last == "ENOMEM")
    }

    @Test("The stack of its first thread cannot be made larger", arguments: WorkerUser.all)
    func stack(_ user: WorkerUser) throws { try expect("EPERM", ["stack"], user) }

    @Test(
        "No thread has its own table of descriptors with its own limit",
        arguments: WorkerUser.all)
    func descriptorTables(_ user: WorkerUser) throws {
        // CLONE_THREAD without CLONE_FILES; CLOSE_RANGE_UNSHARE, alone and with CLOSE_RANGE_CLOEXEC.
        try expect("EPERM", ["clone 0x10000", "close_range 9999 9999 2", "close_range 9999 9999 6"], user)
        try expect("done", ["close_range 9999 9999 0", "close_range 9999 9999 4"], user)
    }

    @Test("Only harmless requests reach a descriptor's file", arguments: WorkerUser.all)
    func deviceCalls(_ user: WorkerUser) throws {
        let file = "fd:/usr/lib/os-release"
        try expect(
            "ENOTTY",
            [
                // FS_IOC_SETFLAGS, FS_IOC_SETVERSION, EXT4_IOC_SETVERSION, FS_IOC_SETFSLABEL, FITHAW.
                "ioctl \(file) 0x40086602 0", "ioctl \(file) 0x40087602 0", "ioctl \(file) 0x40086604 0",
                "ioctl \(file) 0x41009432 0", "ioctl \(file) 0xC0045878 0",
                // Passed on to a file that is not a terminal: TCGETS, TIOCGWINSZ.
                "ioctl \(file) 0x5401 0", "ioctl \(file) 0x5413 0",
            ], user)
        // FIOCLEX, FIONCLEX.
        try expect("done", ["ioctl \(file) 0x5451 0", "ioctl \(file) 0x5450 0"], user)
    }

    @Test(
        "Several threads that request threads at the same time get no more than a single one",
        arguments: WorkerUser.all)
    func racingThreads(_ user: WorkerUser) throws {
        let (limit, racers) = (40, 6)
        let answer = try ProbeWorld(user) { $0.threads = UInt32(limit) }.answer("racing-threads \(racers)")
        let threads = try #require(Int(answer))
        // A thread that is being started counts twice for a moment, so the last ones may be refused.
        #expect(threads <= limit && threads >= limit - racers, "\(answer)")
    }

    @Test("Threads that follow each other count once", arguments: WorkerUser.all)
    func successiveThreads(_ user: WorkerUser) throws {
        try expect("done", ["successive-threads 200"], user) { $0.threads = 40 }
    }

    @Test("Threads are granted up to the limit, and the host goes on", arguments: WorkerUser.all)
    func threads(_ user: WorkerUser) throws {
        let world = try ProbeWorld(user) { $0.threads = 40 }
        // The first thread and the thread that calls the overlay are included.
        #expect(try world.answer("threads") == "38 EAGAIN")
        #expect(try world.answer("file") == "done")
    }

    @Test("A worker can use its own folder and the files in it", arguments: WorkerUser.all)
    func scratch(_ user: WorkerUser) throws {
        let number = user.number
        var questions = [
            "file", "mkdirat -100 $/folder 0700", "fchmodat -100 $/folder 0750", "fchmod fd:$/folder 0700",
            "utimensat -100 $/folder 0 0", "utimensat fd:$/folder 0 0 0", "fchmodat -100 $ 0700",
            "fchown fd:$/folder \(number) \(number)",
        ]
        #if arch(x86_64)
        questions.append("chmod $/folder 0711")
        #endif
        try expect("done", questions + ["unlinkat -100 $/folder \(AT_REMOVEDIR)"], user)
        try expect("ENOENT", ["fchmodat -100 $/none 0700"], user)
    }

    @Test("No path leads from its own folder to the attributes of files outside", arguments: WorkerUser.all)
    func detours(_ user: WorkerUser) throws {
        let outside = try Outside(user)
        let answers = try ProbeWorld(user).answers([
            "symlinkat \(outside.file) -100 $/link", "fchmodat -100 $/link 0777", "utimensat -100 $/link 0 0",
            "fchmodat -100 $/../\(URL(fileURLWithPath: outside.path).lastPathComponent)/book 0777",
            "fchmodat -100 $x 0777", "fchmodat -100 link 0777", "fchown fd:$ 65533 65533",
        ])
        #expect(answers == ["done"] + Array(repeating: "EPERM", count: 6))
        #expect(outside.isUnchanged)
    }

    @Test(
        "Where the host cannot be asked, attributes are refused in its own folder, too",
        arguments: WorkerUser.all)
    func unasked(_ user: WorkerUser) throws {
        let answers = try ProbeWorld(user, []) { $0.withheld = UInt32(SHIM_THREADS) }.answers([
            "fchmodat -100 $ 0700", "fchmod fd:$ 0700", "utimensat -100 $ 0 0", "file",
        ])
        #expect(answers == ["EPERM", "EPERM", "EPERM", "done"])
    }

    @Test(
        "A worker can only see whether files outside exist, and of which kind they are",
        arguments: WorkerUser.all)
    func remains(_ user: WorkerUser) throws {
        let outside = try Outside(user)
        try expect("done", ["access \(outside.file) 0"], user)
    }
}
