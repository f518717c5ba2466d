/* Puts the house's clock ahead while it runs, for what takes hours: the seconds that are written in the file AGIO_AHEAD are added to the
   time of day. Timers go on as ever. Loaded before the C library by the tests that ask for it, and by nothing else. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void look(void) {
  const char *name = getenv("AGIO_AHEAD");
  int file = name ? open(name, O_RDONLY) : -1;
  if (file < 0) return;
  void *seen = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  if (seen != MAP_FAILED) ahead = seen;
  close(file);
}

int clock_gettime(clockid_t id, struct timespec *at) {
  int failed = (int)syscall(SYS_clock_gettime, id, at);
  if (!failed && ahead && id == CLOCK_REALTIME) at->tv_sec += *ahead;
  return failed;
}
