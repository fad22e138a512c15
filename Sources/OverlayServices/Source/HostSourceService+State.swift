import HostContract
import HostErrors
import OverlayABI

extension HostSourceService {
    func addState(to table: inout ovl_source_service) {
        table.state_get = { context, key, sink, error in
            HostSourceService.serve(context, "source.state_get", error) { service throws(HostError) in
                let source = try service.granted("source.state_get")
                let key = try service.key("source.state_get", key)
                let sink = try service.sink("source.state_get", sink)
                try service.put(try source.state.read(.data, key), into: sink)
            }
        }
        table.state_put = { context, key, value, error in
            HostSourceService.serve(context, "source.state_put", error) { service throws(HostError) in
                let source = try service.granted("source.state_put", changes: true)
                let key = try service.key("source.state_put", key)
                try source.state.write(.data, key, try service.content("source.state_put", value))
            }
        }
        table.state_remove = { context, key, error in
            HostSourceService.serve(context, "source.state_remove", error) { service throws(HostError) in
                let source = try service.granted("source.state_remove", changes: true)
                try source.state.remove(.data, try service.key("source.state_remove", key))
            }
        }
        table.state_keys = { context, sink, error in
            HostSourceService.serve(context, "source.state_keys", error) { service throws(HostError) in
                let source = try service.granted("source.state_keys")
                try service.put(try source.state.keys(.data), "source.state_keys", into: sink)
            }
        }
    }
}
