/*
 * Loaded before a server's own libraries, shifts its wall clock by as many microseconds as the file WALLCLOCK_FILE
 * holds: eight bytes, as the machine orders them. The file is mapped, so a new number counts at once. Monotonic
 * clocks go on as they are.
 *
 * Allocates nothing and calls no other library: an allocator may ask for the time before it is ready itself.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none = 0;
static const volatile int64_t *shift = &none;

__attribute__((constructor)) static void map_file(void) {
  const char *name = getenv("WALLCLOCK_FILE");
  int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) {
    shift = mapped;
  }
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  int failed = (int)syscall(SYS_clock_gettime, clock, result);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t by = *shift;
    result->tv_sec += by / 1000000;
    result->tv_nsec += by % 1000000 * 1000;
    if (result->tv_nsec < 0) {
      result->tv_sec--;
      result->tv_nsec += 1000000000;
    } else if (result->tv_nsec >= 1000000000) {
      result->tv_sec++;
      result->tv_nsec -= 1000000000;
    }
  }
  return failed;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  struct timespec now;
  (void)zone;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) {
    *result = now.tv_sec;
  }
  return now.tv_sec;
}
