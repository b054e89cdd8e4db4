// Runs a lock-step harness as a pipe says: sets ports before clock edges, and holds the row `observed` of every cycle
// against the one that it is given. It knows nothing of networks; who calls it says what is right.
//
// It begins by writing its bytes per row, how many ports there are, and the bytes of each (uint32 all of them). Then it
// reads chunks: cycles, compared (0 or 1), settings (uint32); per setting its row and port (uint32) and the value; and
// if compared, a row for each cycle. It answers each chunk with the first row that differs, or -1 (int32), followed by
// what the hardware has there, and by no further cycle. It ends with its input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vharness.h"
#include "verilated.h"

struct Port {
    void* value;
    uint32_t bytes;
};

#define PORT(name) Port{&top->name, static_cast<uint32_t>(sizeof(top->name))}

static std::vector<Port> ports_of(Vharness* top) {
    return {
#include "ports.h"
    };
}

static void get(void* into, size_t bytes) {
    if (fread(into, 1, bytes, stdin) != bytes) exit(0);
}

static void put(const void* from, size_t bytes) { fwrite(from, 1, bytes, stdout); }

struct Setting {
    uint32_t row;
    uint32_t port;
    std::vector<uint8_t> value;
};

int main() {
    static char buffer[1 << 20];
    setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    VerilatedContext context;
    Vharness* top = new Vharness(&context);
    const std::vector<Port> ports = ports_of(top);
    const uint32_t row_bytes = sizeof(top->observed), port_count = ports.size();
    put(&row_bytes, 4);
    put(&port_count, 4);
    for (const Port& port : ports) put(&port.bytes, 4);
    fflush(stdout);
    top->clk = 0;
    top->eval();
    std::vector<uint8_t> expected(row_bytes);
    for (;;) {
        uint32_t cycles, compared, count;
        get(&cycles, 4);
        get(&compared, 4);
        get(&count, 4);
        std::vector<Setting> settings(count);
        for (Setting& setting : settings) {
            get(&setting.row, 4);
            get(&setting.port, 4);
            setting.value.resize(ports.at(setting.port).bytes);
            get(setting.value.data(), setting.value.size());
        }
        size_t next = 0;
        int32_t differs = -1;
        for (uint32_t row = 0; row < cycles; ++row) {
            if (compared) get(expected.data(), row_bytes);
            if (differs >= 0) continue;
            if (compared && memcmp(expected.data(), &top->observed, row_bytes) != 0) {
                differs = row;
                continue;
            }
            for (; next < count && settings[next].row == row; ++next)
                memcpy(ports[settings[next].port].value, settings[next].value.data(), settings[next].value.size());
            top->clk = 1;
            top->eval();
            top->clk = 0;
            top->eval();
        }
        put(&differs, 4);
        if (differs >= 0) put(&top->observed, row_bytes);
        fflush(stdout);
    }
}
