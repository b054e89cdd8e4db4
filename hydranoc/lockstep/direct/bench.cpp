// Runs a lock-step harness by commands from a pipe: sets ports before clock edges, and compares the row `observed` of
// every cycle with the expected one. It is independent of networks: the caller supplies the expected rows.
//
// It begins by writing its bytes per row, the number of ports, and the bytes of each (all uint32). Then it reads
// chunks: cycles, compared (0 or 1), dumped (0 or 1), port to be read or 0xffffffff, settings (uint32); per setting
// its row and port (uint32) and the value; and if compared, a row for each cycle. It answers each chunk with the first
// row that differs, or -1 (int32), and the CPU seconds of this process so far (double), followed by the hardware's row
// if one differs, and by the port's value after the chunk. After a row that differs it runs no further cycle of the
// chunk. It ends with its input.
//
// Its argument is the file for the waveform of all dumped chunks. Row n since the start lasts from 10 n to
// 10 n + 10 ns there, with the falling edge of the clock in the middle, where ports are set.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "Vharness.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

// Verilator's classes are aligned to cache lines, which `new` respects since C++17.
static_assert(__cpp_aligned_new >= 201606L, "needs C++17");

struct Port {
    void* value;
    uint32_t bytes;
};

static constexpr uint32_t NO_PORT = 0xffffffff;

#define PORT(name) Port{&top->name, static_cast<uint32_t>(sizeof(top->name))}

static std::vector<Port> ports_of(Vharness* top) {
    return {
#include "ports.h"
    };
}

static void get(void* into, size_t bytes) {
    if (fread(into, 1, bytes, stdin) != bytes) std::_Exit(0);
}

static void put(const void* from, size_t bytes) { fwrite(from, 1, bytes, stdout); }

struct Setting {
    uint32_t row;
    uint32_t port;
    size_t value;  // its place among the bytes of all values
};

#if VM_TRACE
class Waves {
public:
    Waves(Vharness* top, const char* file) : top_(top), file_(file) { top->contextp()->traceEverOn(true); }
    void dump(uint64_t half_cycle) {
        if (!open_) {
            top_->trace(&vcd_, 99);
            vcd_.open(file_);
            open_ = true;
        }
        vcd_.dump(half_cycle * 5000);  // ps
    }
    void flush() {
        if (open_) vcd_.flush();
    }

private:
    Vharness* top_;
    const char* file_;
    VerilatedVcdC vcd_;
    bool open_ = false;
};
#else
class Waves {
public:
    Waves(Vharness*, const char*) {}
    void dump(uint64_t) {}
    void flush() {}
};
#endif

int main(int argc, char** argv) {
    static char buffer[1 << 20];
    setvbuf(stdin, buffer, _IOFBF, sizeof buffer);
    VerilatedContext context;
    Vharness* top = new Vharness(&context);
    Waves* waves = new Waves(top, argc > 1 ? argv[1] : "waves.vcd");
    const std::vector<Port> ports = ports_of(top);
    const uint32_t row_bytes = sizeof(top->observed), port_count = ports.size();
    put(&row_bytes, 4);
    put(&port_count, 4);
    for (const Port& port : ports) put(&port.bytes, 4);
    fflush(stdout);
    top->clk = 0;
    top->eval();
    uint64_t now = 0;
    std::vector<uint8_t> expected(row_bytes), values;
    for (;;) {
        uint32_t cycles, compared, dumped, read, count;
        for (uint32_t* field : {&cycles, &compared, &dumped, &read, &count}) get(field, 4);
        std::vector<Setting> settings(count);
        values.clear();
        for (Setting& setting : settings) {
            get(&setting.row, 4);
            get(&setting.port, 4);
            const uint32_t bytes = ports.at(setting.port).bytes;
            setting.value = values.size();
            values.resize(setting.value + bytes);
            get(&values[setting.value], bytes);
        }
        const auto earlier = [](const Setting& one, const Setting& other) { return one.row < other.row; };
        std::stable_sort(settings.begin(), settings.end(), earlier);
        size_t next = 0;
        int32_t differs = -1;
        for (uint32_t row = 0; row < cycles; ++row) {
            if (compared) get(expected.data(), row_bytes);
            if (differs >= 0) continue;
            if (compared && memcmp(expected.data(), &top->observed, row_bytes) != 0) {
                differs = row;
                continue;
            }
            for (; next < count && settings[next].row == row; ++next) {
                const Port& port = ports[settings[next].port];
                memcpy(port.value, &values[settings[next].value], port.bytes);
            }
#if VM_TRACE
            if (dumped) {
                top->eval();
                waves->dump(2 * now + 1);
            }
            top->clk = 1;
            top->eval();
            if (dumped) waves->dump(2 * now + 2);
            top->clk = 0;
#else
            top->clk = !top->clk;  // both edges count as rising ones in its Verilog
#endif
            top->eval();
            ++now;
        }
        if (dumped) waves->flush();
        const double cpu_seconds = static_cast<double>(clock()) / CLOCKS_PER_SEC;
        put(&differs, 4);
        put(&cpu_seconds, 8);
        if (differs >= 0) put(&top->observed, row_bytes);
        if (read != NO_PORT) put(ports.at(read).value, ports.at(read).bytes);
        fflush(stdout);
    }
}
