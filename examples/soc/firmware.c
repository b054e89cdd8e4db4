/* One program for all cores. Core 0 has it from the start and gives it to the others, once by unicasts and once by one
 * multicast; then all sum their share of the numbers. */
#include <stdint.h>

#include "noc_map.h"

enum { CORES = 4, NUMBERS = 4096, BURST = 128, RELEASE = 0xfffc / 4 };

/* places that the cores write into each other's memories, outside of the image */
struct shared {
  volatile uint32_t arrived[CORES];
  volatile uint32_t sum[CORES];
  volatile uint32_t go;
};
static struct shared shared __attribute__((section(".shared")));

extern uint32_t image_start[], image_end[];

static volatile uint32_t *const number = (uint32_t *)0x10000;
static volatile uint32_t *const copier = (uint32_t *)0x10004; /* source, target, number of words */
static volatile uint32_t *const serial = (uint32_t *)NOC_N4_BASE;
static volatile uint32_t *const everyone = (uint32_t *)NOC_MULTICAST_0_BASE;
static volatile uint32_t *const first = (uint32_t *)NOC_N0_BASE;
static volatile uint32_t *const memory_of[CORES] = {
    (uint32_t *)NOC_N0_BASE, (uint32_t *)NOC_N2_BASE, (uint32_t *)NOC_N6_BASE, (uint32_t *)NOC_N8_BASE};

static uint32_t cycles(void) {
  uint32_t now;
  __asm__ volatile("rdcycle %0" : "=r"(now));
  return now;
}

static void print(const char *text) {
  while (*text) *serial = (uint32_t)*text++;
}

static void print_number(uint32_t value) {
  static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
  int begun = 0;
  for (int i = 0; i < 10; i++) {
    char digit = '0';
    for (; value >= powers[i]; value -= powers[i]) digit++;
    begun |= digit != '0' || i == 9;
    if (begun) *serial = (uint32_t)digit;
  }
}

static volatile uint32_t *place(volatile uint32_t *memory, volatile uint32_t *own) {
  return memory + (uint32_t)own / 4;
}

/* Send words of the own memory as one burst. */
static void copy(uint32_t *source, volatile uint32_t *target, uint32_t words) {
  copier[0] = (uint32_t)source;
  copier[1] = (uint32_t)target;
  copier[2] = words;
}

/* Give the image to the others; return the cycles. */
static uint32_t load(int multicast) {
  const uint32_t begin = cycles();
  const uint32_t words = (uint32_t)image_end / 4;
  for (uint32_t i = 0; i < words; i += BURST) {
    const uint32_t some = words - i < BURST ? words - i : BURST;
    if (multicast)
      copy(image_start + i, everyone + i, some);
    else
      for (int core = 1; core < CORES; core++) copy(image_start + i, memory_of[core] + i, some);
  }
  return cycles() - begin;
}

int main(void) {
  const uint32_t own = *number;
  uint32_t unicasts = 0, multicast = 0;
  if (own == 0) {
    unicasts = load(0);
    multicast = load(1);
    for (int core = 0; core < CORES; core++) shared.arrived[core] = 0;
    *place(everyone, &shared.go) = 0;
    everyone[RELEASE] = 1;
  }

  uint32_t sum = 0;
  for (uint32_t i = own; i < NUMBERS; i += CORES) sum += i;

  /* barrier: all tell core 0, which tells all */
  if (own) {
    *place(first, &shared.sum[own]) = sum;
    *place(first, &shared.arrived[own]) = 1;
    while (!shared.go) {}
    return 0;
  }
  for (int core = 1; core < CORES; core++) {
    while (!shared.arrived[core]) {}
    sum += shared.sum[core];
  }
  *place(everyone, &shared.go) = 1;

  print("sum of 0 to ");
  print_number(NUMBERS - 1);
  print(" by 4 cores: ");
  print_number(sum);
  print(sum == NUMBERS / 2 * (NUMBERS - 1) ? ", right\n" : ", WRONG\n");
  print("cycles to load ");
  print_number((uint32_t)image_end);
  print(" bytes into 3 memories: ");
  print_number(unicasts);
  print(" by unicasts, ");
  print_number(multicast);
  print(" by multicast\n");
  *serial = 0;
  return 0;
}
