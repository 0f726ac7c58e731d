"""Runs one OpenStack service of the test cloud in this one process.

API and back-end services of one project share the process, so their RPC goes through
oslo.messaging's in-process "fake" transport: no broker is needed. Runs in the cloud's environment.
"""

import os
import socket
import sys
import time
import traceback

from tests.cloud.box.places import ETC, PORTS, SWIFT_PORTS, VAR

KEEP = {}  # services running in this process


def listen(app, port, threads=12):
    import waitress

    waitress.serve(
        app,
        host="127.0.0.1",
        port=port,
        threads=threads,
        ident="box",
        connection_limit=1000,
        channel_timeout=60,
        max_request_body_size=16 << 30,
    )


def wait_port(port, limit=120):
    end = time.time() + limit
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.time() > end:
                raise
            time.sleep(0.2)


def conf(svc, name=None):
    return str(ETC / svc / (name or svc + ".conf"))


def keystone():
    from keystone.common.rbac_enforcer.enforcer import RBACEnforcer
    from keystone.wsgi.api import application

    # Keystone makes what enforces its policy with the first request. Others that come meanwhile
    # find it half made, and get a 500: so it is made before any can come.
    RBACEnforcer.suppress_deprecation_warnings = True
    RBACEnforcer()._enforcer.load_rules()
    return application


def glance():
    from glance.wsgi.api import application

    return application


def placement():
    from placement.wsgi.api import application

    return application


def neutron():
    os.environ["OS_NEUTRON_CONFIG_FILES"] = "neutron.conf"
    from neutron.wsgi.api import application

    return application


def nova():
    os.environ["OS_NOVA_DISABLE_EVENTLET_PATCHING"] = "true"
    from nova import monkey_patch

    monkey_patch.patch(backend="threading")
    # Reads the configuration; what comes next needs it.
    from nova.wsgi.osapi_compute import application

    # isort: split
    import nova.conf
    import os_vif
    from nova import context, objects, service  # noqa: F401 (registers the objects)
    from nova.compute import rpcapi as compute_rpcapi
    from nova.conductor import rpcapi as conductor_rpcapi
    from nova.scheduler import rpcapi as scheduler_rpcapi

    # nova only loads compute drivers from below nova.virt
    from tests.cloud.box.drivers import compute

    sys.modules["nova.virt.box"] = compute
    settings = nova.conf.CONF
    os_vif.initialize()
    # a compute node that cannot register would only try again a minute later
    for svc in ("keystone", "placement"):
        wait_port(PORTS[svc])
    keep = []
    for binary, topic in (
        ("nova-conductor", conductor_rpcapi.RPC_TOPIC),
        ("nova-scheduler", scheduler_rpcapi.RPC_TOPIC),
    ):
        s = service.Service.create(binary=binary, topic=topic)
        s.start()
        keep.append(s)
    for host in ("compute1", "compute2"):
        # the fake driver and the compute manager read CONF.host
        settings.set_override("host", host)
        s = service.Service.create(
            host=host,
            binary="nova-compute",
            topic=compute_rpcapi.RPC_TOPIC,
            topic_alt=compute_rpcapi.RPC_TOPIC_ALT,
        )
        s.start()
        keep.append(s)
    settings.clear_override("host")
    ctxt = context.get_admin_context()
    from nova.objects import host_mapping

    host_mapping.discover_hosts(ctxt)
    KEEP["nova"] = keep
    return application


def cinder():
    import eventlet

    eventlet.monkey_patch()
    import threading

    import __original_module_threading as orig_threading

    orig_threading.current_thread.__globals__["_active"] = threading._active
    sys.argv = ["cinder-api", "--config-file", conf("cinder")]
    from cinder.cmd import volume  # registers options
    from cinder.wsgi import wsgi
    from oslo_config import cfg

    app = wsgi.initialize_application()
    from cinder import service
    from cinder.common import constants

    settings = cfg.CONF
    keep = [service.Service.create(binary="cinder-scheduler")]
    keep[0].start()
    for backend in settings.enabled_backends:
        settings.register_opt(volume.host_opt, group=backend)
        s = service.Service.create(
            host=f"{settings.host}@{backend}",
            service_name=backend,
            binary=constants.VOLUME_BINARY,
            coordination=True,
        )
        s.start()
        keep.append(s)
    import eventlet.wsgi

    eventlet.wsgi.server(
        eventlet.listen(("127.0.0.1", PORTS["cinder"]), backlog=128),
        app,
        log_output=False,
        keepalive=True,
        socket_timeout=60,
    )


def barbican():
    sys.argv = ["barbican-api"]
    from barbican.api import app  # noqa: F401 (reads the configuration)
    from paste import deploy

    return deploy.loadapp("config:" + conf("barbican", "barbican-api-paste.ini"))


def designate():
    import designate.cmd  # noqa: F401 (selects oslo.service's threading backend)

    # isort: split
    from designate.api import wsgi

    app = wsgi.init_application()
    from designate.central import service as central
    from designate.mdns import service as mdns
    from designate.producer import service as producer
    from designate.worker import service as worker

    KEEP["designate"] = []
    for mod in (central, worker, mdns, producer):
        s = mod.Service()
        if hasattr(s, "init_host"):
            s.init_host()
        s.start()
        KEEP["designate"].append(s)
    done = VAR / "designate" / "pools-done"
    if not done.exists():
        from designate.manage import pool

        pool.PoolCommands().update(conf("designate", "pools.yaml"), False)
        done.touch()
    return app


def octavia():
    from octavia.api import app

    application = app.setup_app(argv=["octavia-api", "--config-file", conf("octavia")])
    from octavia.controller.queue.v2 import consumer
    from oslo_config import cfg

    KEEP["octavia"] = consumer.ConsumerService(0, cfg.CONF)
    KEEP["octavia"].run()
    return application


def swift():
    import eventlet

    eventlet.monkey_patch()
    import eventlet.wsgi
    from swift.common import utils
    from swift.common import wsgi as swsgi

    utils.HASH_PATH_SUFFIX = b"box"

    def one(name, port):
        path = conf("swift", name + ".conf")
        app = swsgi.loadapp(path, global_conf={"log_name": name})
        sock = eventlet.listen(("127.0.0.1", port), backlog=256)
        eventlet.wsgi.server(sock, app, log_output=False, keepalive=True, log=utils.NullLogger())

    pool = eventlet.GreenPool()
    for name, port in SWIFT_PORTS.items():
        pool.spawn(one, name + "-server", port)
    pool.spawn(one, "proxy-server", PORTS["swift"])
    pool.waitall()


def main():
    svc = sys.argv[1]
    sys.argv = sys.argv[:1]
    try:
        app = globals()[svc]()
        if app is not None:
            listen(app, PORTS[svc])
    except BaseException as e:
        if not isinstance(e, (SystemExit, KeyboardInterrupt)):
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # service threads would keep the process alive


if __name__ == "__main__":
    main()
