# SPDX-License-Identifier: Apache-2.0
#
# The values of the variant that the scripts of this folder read.
# ${generated}
set variant_name ${name}
set variant_text {${summary}}
set variant_hash ${hash}
set memory_ports ${memory_ports}
set memory_width ${memory_width}
set host_port ${host_port}
