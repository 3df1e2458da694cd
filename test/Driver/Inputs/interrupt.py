# Starts a command, sends it SIGINT (or what is asked for) once its error output
# shows that it works, and wants it to end by itself within ten seconds.
import signal
import subprocess
import sys
import time

name, want, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
seen = 0
for line in process.stderr:
    seen += 1
    if seen == want:
        break
else:
    sys.exit("ended before %d candidates" % want)
process.send_signal(getattr(signal, name))
start = time.time()
try:
    process.communicate(timeout=10)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("still runs ten seconds after %s" % name)
print("ended with %d after %.1f s" % (process.returncode, time.time() - start))
