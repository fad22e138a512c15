import OverlayABI
import OverlayBridge
import OverlayKit

extension FakeHost {
    static func makeStorage(_ context: UnsafeMutableRawPointer) -> ovl_storage_service {
        var table = ovl_storage_service.sized()
        table.ctx = context
        table.get = { context, area, key, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, key) = (FakeHost.from(context), textOf(key))
            if let status = host.storageFault { return answer(status, key, error) }
            guard area == OVL_STORAGE_CACHE, let value = host.stored[key] else {
                return answer(.notFound, key, error)
            }
            return send(value, key, sink, error)
        }
        table.put = { context, area, key, value, error in
            guard let context, let bytes = attempt({ try value.pointee.array("value") }) ?? nil else {
                return OVL_CONTRACT_BROKEN
            }
            let (host, key) = (FakeHost.from(context), textOf(key))
            if let status = host.storageFault { return answer(status, key, error) }
            host.stored[key] = bytes
            host.storageWrites.append(key)
            return OVL_OK
        }
        table.remove = { context, area, key, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            FakeHost.from(context).stored[textOf(key)] = nil
            return OVL_OK
        }
        table.keys = { context, area, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            if let status = host.storageFault { return answer(status, "", error) }
            for key in host.stored.keys.sorted() {
                var view = arena.text(key)
                _ = sink.pointee.put?(sink.pointee.ctx, &view)
            }
            return OVL_OK
        }
        return table
    }
}
