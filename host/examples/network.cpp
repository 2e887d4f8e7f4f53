// SPDX-License-Identifier: Apache-2.0
//
// The same as network.c in C++: a network on a stream of inputs, and a result inside it.
//
//     c++ -std=c++17 network.cpp $(pkg-config --cflags --libs tulle) -o network
//     ./network NET LAYER [DEVICE] < inputs.raw        without DEVICE on the CPU
#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <tulle.h>
#include <vector>

static void check(tulle_status status)
{
    if (status)
        throw std::runtime_error(std::string(tulle_status_text(status)) + ": " + tulle_message());
}

// A tensor with room for its values.
struct Tensor : tulle_tensor {
    std::vector<char> room;

    Tensor(tulle_net *net, decltype(tulle_net_input) *describe, size_t index) : tulle_tensor{}
    {
        size = sizeof(tulle_tensor);
        check(describe(net, index, this));
        room.resize(bytes);
        values = room.data();
    }
    std::vector<double> elements() const
    {
        std::vector<double> list;
        for (size_t i = 0; i < bytes; i += type == TULLE_ELEMENT_FLOAT32 ? sizeof(float) : 1)
            list.push_back(type == TULLE_ELEMENT_INT8    ? *reinterpret_cast<const int8_t *>(&room[i])
                           : type == TULLE_ELEMENT_UINT8 ? *reinterpret_cast<const uint8_t *>(&room[i])
                                                         : *reinterpret_cast<const float *>(&room[i]));
        return list;
    }
};

static void run(char **argv, tulle_device *device)
{
    tulle_net_options options{};
    tulle_net *net = nullptr;
    options.size = sizeof options;
    options.sized = 1;
    options.device = device;
    check(tulle_net_load(argv[1], &options, &net));
    const std::unique_ptr<tulle_net, decltype(&tulle_net_free)> owner(net, tulle_net_free);
    check(tulle_net_mark(net, argv[2], 1));
    Tensor in(net, tulle_net_input, 0), out(net, tulle_net_output, 0), inside(net, tulle_net_output, 1);
    const tulle_tensor *const inputs[] = {&in};
    tulle_tensor *const outputs[] = {&out, &inside};
    while (std::cin.read(in.room.data(), static_cast<std::streamsize>(in.bytes))) {
        check(tulle_net_run(net, inputs, 1, outputs, 2));
        const auto list = out.elements(), more = inside.elements();
        std::cout << std::max_element(list.begin(), list.end()) - list.begin() << ", and up to "
                  << *std::max_element(more.begin(), more.end()) << " in " << inside.name << "\n";
    }
}

int main(int argc, char **argv)
try {
    if (argc < 3 || argc > 4)
        return std::cerr << "usage: network NET LAYER [DEVICE] < inputs.raw\n", 2;
    tulle_device *device = nullptr;
    if (argc > 3)
        check(tulle_device_open(argv[3], nullptr, &device));
    const std::unique_ptr<tulle_device, decltype(&tulle_device_close)> owner(device, tulle_device_close);
    run(argv, device);
    return 0;
} catch (const std::exception &error) {
    return std::cerr << "network: error: " << error.what() << "\n", 1;
}
